"""The input and the result of a training, both plain values, and the functions that train."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..features.encoded import Encoded
from ..features.neighbours import Nearest
from ..knowledge import Knowledge
from ..meaning.label_texts import LabelText, label_texts
from ..testimony import Testimony
from ..witnesses.reports import Reports
from .arguments import Beliefs
from .options import Reading

if TYPE_CHECKING:
    from ..learners.learner import Learner


class ToRead(NamedTuple):
    """How to read the texts and pictures of a campaign.

    `encoder` is the setting, `labels` the text of each label. `name` is the encoder in the log,
    with its version. `pictures` says whether it also reads pictures. With `only` no other encoder
    may be used.
    """

    encoder: str
    labels: tuple[LabelText, ...]
    name: str | None = None
    only: bool = False
    pictures: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingInput:
    """The input of a training, besides the items.

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
    """The result of a training.

    Attributes
    ----------
    beliefs : array of items x labels
        The probability of each cell.
    neighbours : Nearest
        The nearest neighbours of the items.
    notes : tuple of str
        Remarks about the features of the items.
    machine : dict
        The kind of machine that trained.
    encoder : dict
        The encoder in the form of the log, if there was one.
    vectors : dict
        The new vectors, by the name of the encoder and the hash of the text or picture.
    witnesses : dict
        The reliability of each machine that reported, by its name.
    sha256 : str
        The hash of the beliefs.
    seconds : float
        The duration of the training.
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


#: Turns other items into the features of a fitted learner.
Prepare = Callable[[Any], Any]


def needs_matrix(learner: Learner) -> bool:
    """Whether a learner takes numbers only; a pipeline or a learner of one's own sees X as it is."""
    from ..learners.crf import CRF
    from ..learners.meaning import Meaning
    from ..learners.paper.logistic import Logistic
    from ..learners.pool import Pool

    return isinstance(learner, Logistic | CRF | Pool | Meaning)


def to_learn_from(
    learner: Learner, X: Any, onto: Ontology, reading: Reading
) -> tuple[Any, Prepare | None, str]:
    """Turn items into features of a learner, a function for other items, and the encoder's name.

    Texts are read if the learner can read, or if an encoder is named. The function is None if it
    is impossible for other items. The name is empty if no encoder reads.
    """
    from ..features.tables_and_text import default_features
    from ..learners.pool import can_read
    from ..meaning.reader import Reader, can_be_read, read_items

    said = label_texts(onto.labels, reading.meaning)  # raises an error even if nothing is read
    if not needs_matrix(learner) or isinstance(X, Encoded):
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
    """Return all known labels of a session, except held-out cells without an answer."""
    facts = known.known
    if held_out is not None:
        facts = facts.copy()
        facts[held_out & (known.answered < 0)] = -1
    return TrainingInput(
        onto=known.onto, facts=facts, testimony=known.testimony, random_state=random_state
    )


class LearntBeliefs:
    """Trains a learner on items and their known labels."""

    def __init__(self, learner: Learner, X: Any):
        self._learner = learner
        self._X = X

    def __call__(self, wanted: TrainingInput) -> TrainingResult:
        beliefs = self._learner.fit(self._X, wanted.facts.copy()).predict_proba(self._X)
        return TrainingResult(beliefs)


class GivenBeliefs:
    """Takes beliefs from a matrix or from a function of the facts, without changing float32."""

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
    """Return a function that trains the learner, or one that returns the given beliefs."""
    if learner is not None:
        return LearntBeliefs(learner, X)
    assert beliefs is not None
    return GivenBeliefs(beliefs)
