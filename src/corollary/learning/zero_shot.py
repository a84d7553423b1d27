"""What labels texts have, before anybody answered anything: read, and made consistent with the ontology."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..logic.engines import Floats
from ..logic.ontology import Ontology
from .argument_checks import check_onto
from .learners.meaning import Meaning
from .meaning.encoders import Progress
from .meaning.label_texts import MeaningOf
from .meaning.reader import read_items


def zero_shot(
    onto: Ontology,
    X: Any,
    *,
    encoder: object = "auto",
    meaning: MeaningOf = "auto",
    similarity: npt.ArrayLike | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The probability of each label for each text (N, K), from what texts and labels say and the ontology alone.

    No item needs to be labelled. `encoder`, `meaning` and `similarity` are as for `Session`.
    """
    read = read_items(check_onto(onto), X, encoder=encoder, meaning=meaning, similarity=similarity, progress=progress)
    nothing = np.full((len(read), len(onto)), -1, np.int8)
    return onto.posterior(Meaning(onto).fit(read, nothing).predict_proba(read))
