"""Questions, and what their answers settle."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..logic.engines import Floats
from ..logic.ontology import Ontology
from ..logic.readable import called
from ..logic.reasoning.explanation import Explanation
from ..logic.wording import question_in_words, quoted


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one cell, with the labels that each answer would settle.

    Attributes
    ----------
    item : hashable
        The id of the item; None if the question is about a pair.
    label : str
        The label, or the relation.
    score : float
        The worth of the question.
    if_yes, if_no : dict
        The other labels that a yes or a no would settle, with their values.
    text : str
        The text of the item, if it has one.
    name : str
        The name of the label for people.
    who : hashable
        The person to ask, if people have prices.
    pair : tuple
        The ids of head and tail, if the question is about a relation.
    ends : tuple of str
        The texts of head and tail.
    """

    item: Hashable
    label: str
    score: float = field(compare=False)
    if_yes: dict[str, bool] = field(compare=False)
    if_no: dict[str, bool] = field(compare=False)
    text: str | None = field(default=None, compare=False, repr=False)
    name: str | None = field(default=None, compare=False, repr=False)
    who: Hashable | None = field(default=None, compare=False, repr=False)
    pair: tuple[Hashable, Hashable] | None = None
    ends: tuple[str, str] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.pair is not None:
            texts = self.ends or (None, None)
            head, tail = (_called(one, text) for one, text in zip(self.pair, texts, strict=True))
            return f"{head} → {tail}: {self.name or called(self.label)}?"
        return question_in_words(_called(self.item, self.text), self.name or called(self.label))


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """A question about all open labels of an item at once.

    The answer names the labels that the item has. Labels that they imply may be left out; all
    others are no.

    Attributes
    ----------
    item : hashable
        The id of the item.
    labels : tuple of str
        The open labels; the most probable narrowest one comes first.
    score : float
        The worth of the question.
    text : str
        The text of the item, if it has one.
    names : tuple of str
        The names of the labels for people.
    """

    item: Hashable
    labels: tuple[str, ...] = field(compare=False)
    score: float = field(compare=False)
    text: str | None = field(default=None, compare=False, repr=False)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        names = self.names or tuple(map(called, self.labels))
        return f"Which of these is {_called(self.item, self.text)}: {', '.join(names)}?"


def _called(item: Hashable, text: str | None) -> str:
    """The item's text, shortened, else its id."""
    return quoted(text) if text is not None and text.strip() else str(item)


@dataclass(slots=True)
class Settled:
    """A label that an answer settled, with the reason in `why`.

    If the fact is about a pair, `pair` has the ids of its ends, and `item` is None.
    """

    item: Hashable
    label: str
    value: bool
    _onto: Ontology = field(repr=False, compare=False)
    _answers: Mapping[str, bool] = field(repr=False, compare=False)
    pair: tuple[Hashable, Hashable] | None = None
    _why: Callable[[], Explanation] | None = field(default=None, repr=False, compare=False)

    @property
    def why(self) -> Explanation:
        """The answers and constraints behind the fact."""
        if self._why is not None:
            return self._why()
        return self._onto.explain(self._answers, self.label)


class Asked(NamedTuple):
    """Questions that a truth answered: rows, label indices, values and costs, in the order asked.

    A label index of K, the number of labels, means the whole item; its value is -1.
    """

    item: npt.NDArray[np.int64]
    label: npt.NDArray[np.int64]
    value: npt.NDArray[np.int8]
    cost: Floats
