"""The next questions, their words, and the cells that a reply settles."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ...logic.readable import Names, called
from ..argument_checks import check_flag, is_flag, list_of, shown
from ..choosing.picks import by_narrowness
from ..knowledge import Cells, Knowledge
from ..question import ItemQuestion, Question, Settled
from .core import Core

#: A question, or its item and label; the label None means the whole item.
About = Question | ItemQuestion | tuple[Hashable, str | None]


class Wording(NamedTuple):
    """The words of questions: the texts of items, if they have any, and the names of labels."""

    texts: Sequence[str] | None = None
    names: Names = None

    def text(self, i: int) -> str | None:
        """Return the text of item i."""
        return None if self.texts is None else self.texts[i]

    def name(self, label: str) -> str:
        """Return the name of a label."""
        return called(label, self.names)


def best_questions(
    core: Core, n: int, wording: Wording, *, who: Hashable | None = None
) -> list[Question | ItemQuestion]:
    """Return the n best questions, the best first; nothing changes.

    No answer to one of them could settle another. If people can be wrong, `who` is not asked about
    labels that they answered.
    """
    chooser = core.chooser
    knowledge = core.knowledge
    onto = knowledge.onto
    blocked: dict[int, npt.NDArray[np.bool_]] = {}
    questions: list[Question | ItemQuestion] = []
    place = chooser.place
    discounted = chooser.n_discounted
    while len(questions) < n and (found := chooser.next()) is not None:
        i, k, value = found
        if k in (own := answered_by(knowledge, i, who)) and i not in blocked:
            without = blocked.setdefault(i, np.zeros(len(onto) + 1, np.bool_))
            without[[*own, len(onto)]] = True
            chooser.refresh(i, without=without)
            continue
        question = _question(core, wording, i, k, value)
        questions.append(question)
        if len(questions) < n:
            chooser.asked(i, k)
            without = blocked.setdefault(i, np.zeros(len(onto) + 1, np.bool_))
            without[_settled_by(question, onto)] = True
            chooser.refresh(i, without=without)
    for i in blocked:
        chooser.refresh(i)
    chooser.return_to(place)
    chooser.undo_discounts(discounted)
    return questions


def answered_by(knowledge: Knowledge, i: int, who: Hashable | None) -> set[int]:
    """Return the labels of an item that a person answered, unless certain labels contradict it."""
    testimony = knowledge.testimony
    if who is None or testimony is None:
        return set()
    person = testimony.places.get(who)
    known = knowledge.known[i]
    reports = (report for report in testimony.of_item(i) if report.who == person)
    return {report.label for report in reports if known[report.label] in (-1, report.value)}


def _question(
    core: Core, wording: Wording, i: int, k: int, value: float
) -> Question | ItemQuestion:
    knowledge = core.knowledge
    known = knowledge.known[i]
    onto = knowledge.onto
    labels = onto.labels
    item = knowledge.ids[i]
    if k == len(labels):
        likely = onto.posterior(core.beliefs_in_use[i : i + 1], known[None])[0]
        options = tuple(labels[j] for j in by_narrowness(onto, likely, known))
        return ItemQuestion(
            item, options, value, wording.text(i), tuple(map(wording.name, options))
        )
    if_yes, if_no = (
        {
            labels[j]: bool(after[j])
            for j in np.flatnonzero((after >= 0) & (known < 0)).tolist()
            if j != k
        }
        for after in core.chooser.foresee(i, k)
    )
    return Question(item, labels[k], value, if_yes, if_no, wording.text(i), wording.name(labels[k]))


def _settled_by(question: Question | ItemQuestion, onto: Ontology) -> list[int] | slice:
    """Return the questions about the item that this one could settle, with the whole item's."""
    if isinstance(question, ItemQuestion):
        return slice(None)
    labels = (question.label, *question.if_yes, *question.if_no)
    return [len(onto), *(onto.index[label] for label in labels)]


def cell_of(question: About, knowledge: Knowledge) -> tuple[int, int]:
    """Return the row and the column of a question; k = K means the whole item."""
    if isinstance(question, Question):
        return knowledge.row(question.item), knowledge.index(question.label)
    if isinstance(question, ItemQuestion):
        question = question.item, None
    if not isinstance(question, tuple | list) or len(question) != 2:
        raise CorollaryError(
            f"a question is one that was asked, or (item, label), got {shown(question)}"
        )
    item, label = question
    return knowledge.row(item), len(knowledge.onto) if label is None else knowledge.index(label)


def cells_of(
    knowledge: Knowledge, i: int, k: int, value: bool | Collection[str]
) -> dict[int, bool]:
    """Return the cells of a reply, without consequences."""
    if k == len(knowledge.onto):
        return knowledge.whole(i, list_of(f"the labels that {knowledge.ids[i]!r} has", value))
    if not is_flag(value):
        raise CorollaryError(f"an answer is True, False or None (can't tell), got {shown(value)}")
    return {k: bool(value)}


def restate(
    knowledge: Knowledge, i: int, answers: Mapping[str, bool], skipped: Collection[str | None]
) -> tuple[Settled, ...]:
    """Replace all answers about item i and return the newly known labels.

    Nothing changes if the answers contradict each other.
    """
    before = knowledge.known[i].copy()
    if not isinstance(answers, Mapping):
        raise CorollaryError(f"answers must be a dict like {{'Bird': True}}, got {shown(answers)}")
    index = knowledge.index
    cells = {
        index(label): check_flag(f"the answer to {label!r}", value)
        for label, value in answers.items()
    }
    left = [len(knowledge.onto) if label is None else index(label) for label in skipped]
    knowledge.restate(i, cells, left)
    return newly_settled(knowledge, i, before, cells)


def newly_settled(knowledge: Knowledge, i: int, before: Facts, cells: Cells) -> tuple[Settled, ...]:
    """Return the newly known labels of item i, the answers first."""
    now = knowledge.known[i]
    new = np.flatnonzero((now >= 0) & (before < 0)).tolist()
    new.sort(key=lambda j: (j not in cells, j))
    answers = knowledge.answers_of(i)
    onto = knowledge.onto
    item = knowledge.ids[i]
    return tuple([Settled(item, onto.labels[j], bool(now[j]), onto, answers) for j in new])
