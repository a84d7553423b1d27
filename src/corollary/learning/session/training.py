"""A training: what goes in and what comes out, both plain values, and who trains a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..features.encoded import Encoded
from ..features.neighbours import Nearest
from ..features.tables_and_text import default_features
from ..knowledge import Knowledge
from ..learners.crf import CRF
from ..learners.learner import Learner
from ..learners.meaning import Meaning
from ..learners.paper.logistic import Logistic
from ..learners.pool import Pool, can_read
from ..meaning.label_texts import LabelText, label_texts
from ..meaning.reader import Reader, can_be_read, read_items
from ..testimony import Testimony
from ..witnesses.reports import Reports
from .arguments import Beliefs
from .options import Reading

#: Learners that take numbers only; a scikit-learn pipeline or a learner of one's own sees X as it is.
NEEDS_MATRIX = (Logistic, CRF, Pool, Meaning)


class ToRead(NamedTuple):
    """How the texts and pictures of a campaign are read.

    `encoder` is the setting, `labels` the text of each label. `name` is the encoder in the log,
    with its version, and `pictures` whether it took those too; with `only` no other will do.
    """

    encoder: str
    labels: tuple[LabelText, ...]
    name: str | None = None
    only: bool = False
    pictures: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingInput:
    """What a model is trained on, besides the items.

    Attributes
    ----------
    onto : Ontology
        The labels.
    facts : array of items x labels
        The known labels that the learner is trained on.
    learner : str
        The name of the learner; a session has its own.
    random_state : int
        The seed.
    sure : array of items x labels
        The labels that are certain, if annotators of a campaign can be wrong.
    testimony : Testimony
        The answers of annotators of a session that can be wrong.
    reports : Reports
        The reports of machines about the items of a campaign.
    reading : ToRead
        How texts and pictures are read, if they are.
    """

    onto: Ontology
    facts: Facts
    learner: str = "auto"
    random_state: int = 0
    sure: Facts | None = None
    testimony: Testimony | None = None
    reports: Reports | None = None
    reading: ToRead | None = None


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """What a training gave.

    Attributes
    ----------
    beliefs : array of items x labels
        The probability of each cell.
    neighbours : Nearest
        The nearest neighbours of the items.
    notes : tuple of str
        What there is to say about the features of the items.
    machine : dict
        The kind of machine that trained.
    encoder : dict
        The encoder as the log has it, if one read.
    vectors : dict
        The vectors that the encoder made anew, by its name and the hash of the text or picture.
    witnesses : dict
        How far each machine that reported can be trusted, by its name.
    sha256 : str
        The hash of the beliefs.
    seconds : float
        How long it took.
    """

    beliefs: npt.NDArray[np.floating]
    neighbours: Nearest | None = None
    notes: tuple[str, ...] = ()
    machine: Mapping[str, str] | None = None
    encoder: Mapping[str, Any] | None = None
    vectors: Mapping[str, dict[str, bytes]] = field(default_factory=dict)
    witnesses: Mapping[str, Any] = field(default_factory=dict)
    sha256: str = ""
    seconds: float = 0.0


#: Trains a model: in this process, in another one, or wherever else.
Train = Callable[[TrainingInput], TrainingResult]


#: Makes of other items what a learner takes that was fitted to some.
Prepare = Callable[[Any], Any]


def to_learn_from(
    learner: Learner, X: Any, onto: Ontology, reading: Reading
) -> tuple[Any, Prepare | None, str]:
    """Turn items into what a learner takes: texts and tables become numbers if need be.

    Texts are read if the learner can read, or if an encoder is named. The second part turns other
    items into the same; None if that is not possible. The third is the name of the encoder that
    reads texts, if one does.
    """
    said = label_texts(onto.labels, reading.meaning)  # raises an error even if nothing is read
    if not isinstance(learner, NEEDS_MATRIX) or isinstance(X, Encoded):
        return X, None if isinstance(X, Encoded) else lambda others: others, ""
    own = reading.similarity is not None
    encoder = reading.encoder
    if can_be_read(X) and not own and (can_read(learner) or encoder != "auto"):
        reader = Reader(onto, said, encoder=encoder).fit(X)
        return reader.read(X), reader.read, reader.name
    if own or encoder != "auto":
        meaning = reading.meaning
        found = read_items(onto, X, encoder=encoder, meaning=meaning, similarity=reading.similarity)
        return found, None, ""
    found, features = default_features(X)
    return found, features.transform, ""


def input_of(
    known: Knowledge, held_out: npt.NDArray[np.bool_] | None, *, random_state: int
) -> TrainingInput:
    """What a session trains on: all that is known, without cells held out and not answered."""
    facts = known.known
    if held_out is not None:
        facts = facts.copy()
        facts[held_out & (known.answered < 0)] = -1
    return TrainingInput(
        onto=known.onto, facts=facts, testimony=known.testimony, random_state=random_state
    )


class LearntBeliefs:
    """Trains a learner on items and what is known of them."""

    def __init__(self, learner: Learner, X: Any):
        self._learner = learner
        self._X = X

    def __call__(self, wanted: TrainingInput) -> TrainingResult:
        beliefs = self._learner.fit(self._X, wanted.facts.copy()).predict_proba(self._X)
        return TrainingResult(beliefs)


class GivenBeliefs:
    """Takes beliefs from a matrix, or from a function of the facts; float32 stays so."""

    def __init__(self, given: Beliefs):
        self._given = given

    def __call__(self, wanted: TrainingInput) -> TrainingResult:
        given = self._given
        found = given(wanted.facts.copy()) if callable(given) else given
        beliefs = wanted.onto.check_beliefs(found)
        if beliefs.dtype != np.float32:
            beliefs = np.asarray(beliefs, np.float64)
        if beliefs.shape != wanted.facts.shape:
            raise CorollaryError(
                f"beliefs must have the shape {wanted.facts.shape}, got {beliefs.shape}"
            )
        return TrainingResult(beliefs)


def trainer(learner: Learner | None, X: Any, beliefs: Beliefs | None) -> Train:
    """What trains a learner on items, or takes the beliefs that were given in its place."""
    if learner is not None:
        return LearntBeliefs(learner, X)
    assert beliefs is not None
    return GivenBeliefs(beliefs)
