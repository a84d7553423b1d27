"""A campaign's data in the shapes of the API, with names only for people who may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from ...campaign.campaign import Campaign
from ...campaign.events import DOUBTED, DRAWN, EXPECTED, PREDICTED, Event
from ...campaign.items import UNSEEN, Item
from ...campaign.labels.label_places import Mark as KnownMark
from ...campaign.labels.label_places import Place
from ...campaign.live.next_question import HeldQuestion
from ...campaign.live.replies import Reply, Undone, Why
from ...campaign.live.suggestions import Guess, Options
from ...campaign.reading.doubtful import Doubtful, doubt_in_words
from ...campaign.reading.option_search import Found
from ...campaign.reading.views import Remembered
from ...campaign.state.standing import Conflict, Opinion, conflict_in_words, opinion_in_words
from ...campaign.storage.records import LEAD, Annotator
from ...learning.question import Settled
from ...logic.language import constraints as c
from ...logic.language.notation import render_constraint
from ...logic.ontology import Ontology
from ...logic.readable import Names, called
from ...logic.wording import in_words
from .. import schemas
from .common import RuleKind

#: Where an answer about a whole item has the labels that were open.
OFFERED = "options"
ANOTHER = "another annotator"
THE_LEAD = "a lead"
#: The largest number of labels settled by an answer that are shown with reasons; each takes time.
REASONS = 8
#: The number of parts of replies that are cached, because the same answers come again and again.
SAME_PARTS = 20_000


KINDS: dict[type[c.Constraint], RuleKind] = {
    c.Subsumes: "above",
    c.Covers: "covered",
    c.Exclusive: "exclusive",
    c.ExactlyOne: "exactly one",
    c.AtLeastOne: "at least one",
    c.Equivalent: "same",
    c.Formula: "rule",
    c.Soft: "soft",
}


class Shown:
    """The campaign as one person may see it."""

    def __init__(self, campaign: Campaign, person: Annotator):
        self._campaign = campaign
        self._me = person.name
        self._lead = person.role == LEAD
        self._names = self._lead or campaign.settings.show_names

    @property
    def _called(self) -> Mapping[str, str]:
        """The displayed names of labels, read only when needed, perhaps in another thread."""
        return self._campaign.names

    def name(self, who: str, *, decided: bool = False) -> str:
        """Return a name, or a general word for the person; `import` and `system` stay."""
        if self._names or who in (self._me, "import", "system"):
            return who
        return THE_LEAD if decided else ANOTHER

    def question(self, asking: HeldQuestion) -> schemas.Question:
        """Return a question as the page shows it."""
        tell = self._campaign.settings.show_consequences
        return schemas.Question(
            lease=asking.id,
            item=item_out(asking.item),
            label=asking.label,
            name=asking.name,
            text=asking.text,
            if_yes=asking.if_yes if tell else None,
            if_no=asking.if_no if tell else None,
            definition=asking.definition,
            place=None if asking.place is None else place_out(asking.place),
            known=[
                _known(label, value, label in asking.answered)
                for label, value in asking.known.items()
            ],
            **self._pickable(asking.options, asking, named=len(asking.options) < asking.open),
            suggestion=_suggestion(asking.suggestion),
            expires=asking.expires,
            model=asking.model,
        )

    def options(self, found: Found) -> schemas.OptionsOut:
        """Some options of a pick."""
        labels = found.options.labels
        wider = [label for label in labels if label in found.wider]
        return schemas.OptionsOut(
            **self._pickable(labels, found.options, named=True), wider=wider, total=found.total
        )

    def _pickable(
        self, labels: Sequence[str], asked: HeldQuestion | Options, *, named: bool
    ) -> dict[str, Any]:
        return {
            "options": list(labels),
            "ends": [label for label in labels if label in asked.ends],
            **{name: getattr(asked, name) for name in ("none", "one", "open", "pickable")},
            "names": {label: self._called[label] for label in labels} if named else {},
        }

    def remembered(
        self, one: Remembered, text: str | None, *, offered: bool = True
    ) -> schemas.RememberedOut:
        """Return an event of somebody's history, with its item's text."""
        event = self.event(one.event, offered=offered).model_dump()
        return schemas.RememberedOut(**event, stands=one.stands, text=text)

    def reply(self, reply: Reply, most: int | None = None) -> schemas.ReplyOut:
        """Return the effects of an answer, with at most `most` of the cells it settled or opened."""
        return schemas.ReplyOut(
            seq=reply.seq,
            settled=settled_out(
                reply.settled, most, answered=reply.event.label, names=self._called
            ),
            n_settled=len(reply.settled),
            opened=marks(reply.opened[:most]),
            second_opinion=reply.second_opinion,
            conflict=None
            if reply.conflict is None
            else self.conflict(str(reply.event.item), reply.conflict),
            item_done=reply.item_done,
            counts=schemas.Counts(**reply.counts),
        )

    def undone(self, undone: Undone, most: int | None = None) -> schemas.UndoneOut:
        """Return the effects of an undo, with at most `most` of the cells it opened or settled."""
        return schemas.UndoneOut(
            seq=undone.seq,
            undone=self.event(undone.undone, offered=most is None),
            opened=marks(undone.opened[:most]),
            n_opened=len(undone.opened),
            settled=settled_out(
                undone.settled, most, answered=undone.undone.label, names=self._called
            ),
            counts=schemas.Counts(**undone.counts),
        )

    def event(self, event: Event, *, offered: bool = True) -> schemas.EventOut:
        """Return a line of the log; without `offered`, options of whole items are left out."""
        detail = (
            event.detail
            if self._lead
            else _without(event.detail, PREDICTED, DRAWN, EXPECTED, DOUBTED)
        )
        return schemas.EventOut(
            seq=event.seq,
            at=event.at,
            who=self.name(event.who, decided=event.kind in ("decision", "gold", "withdraw")),
            kind=event.kind,
            item=event.item,
            label=event.label,
            value=event.value,
            seconds=event.seconds,
            refers=event.refers,
            detail=detail if offered else _without(detail, OFFERED),
        )

    def opinion(self, opinion: Opinion) -> schemas.OpinionOut:
        """Return an opinion."""
        return schemas.OpinionOut(
            who=self.name(opinion.who, decided=opinion.decided),
            own=opinion.who == self._me,
            label=opinion.label,
            value=opinion.value,
            seq=opinion.seq,
            at=self._campaign.state.event(opinion.seq).at,
            decided=opinion.decided,
            picked=None if opinion.picked is None else list(opinion.picked),
        )

    def conflict(self, item: str, conflict: Conflict) -> schemas.ConflictOut:
        """Return a conflict about an item."""
        return schemas.ConflictOut(
            kind=conflict.kind,
            message=conflict_in_words(conflict, self._called),
            opinions=[self.opinion(one) for one in conflict.opinions],
            rules=rules_out(conflict.constraints, about=conflict.labels, names=self._called),
            blamed=self._blamed(self._campaign.blamed(item, conflict)),
        )

    def _blamed(self, found: Doubtful | None) -> schemas.BlamedOut | None:
        if found is None:
            return None
        one = found.opinion
        why = self._why_doubted(found)
        return schemas.BlamedOut(
            seq=one.seq, label=one.label, probability=found.probability, why=why
        )

    def doubtful(self, found: Doubtful) -> schemas.DoubtfulOut:
        """Return an answer that may be wrong."""
        return schemas.DoubtfulOut(
            item=item_out(self._campaign.item(found.item).item),
            name=_name_of(found.opinion, self._called),
            answer=self.opinion(found.opinion),
            probability=found.probability,
            without=found.without,
            against=[self.opinion(one) for one in found.against],
            why=self._why_doubted(found),
            in_effect=not found.doubted,
        )

    def _why_doubted(self, found: Doubtful) -> str:
        return doubt_in_words(
            found, self._called, lambda who: "you" if who == self._me else self.name(who)
        )

    def why(self, why: Why) -> schemas.WhyOut:
        """The reason for the value of a label of an item."""
        chain = why.explanation
        return schemas.WhyOut(
            item=why.item,
            label=why.label,
            value=why.value,
            text=None if chain is None else chain.text(self._called),
            answers=[self.opinion(one) for one in why.opinions],
            steps=[] if chain is None else [step.text(self._called) for step in chain.steps],
            rules=[]
            if chain is None
            else rules_out(
                chain.constraints, about=(why.label, *chain.answers), names=self._called
            ),
        )


def _name_of(one: Opinion, names: Names) -> str:
    """Return the displayed name of an answer's label, or of its pick."""
    return called(one.label, names) if one.picked is None else opinion_in_words(one, names)


def item_out(item: Item) -> schemas.ItemOut:
    """Return an item for the page, without its vector."""
    fields = {name: value for name, value in item.fields.items() if name not in UNSEEN}
    image = None if item.image is None else f"api/items/{quote(item.id, safe='')}/image"
    return schemas.ItemOut(id=item.id, text=item.text, fields=fields, image=image)


def _suggestion(guess: Guess | None) -> schemas.SuggestionOut | None:
    return (
        None
        if guess is None
        else schemas.SuggestionOut(value=guess.value, probability=guess.probability)
    )


def _without(detail: dict[str, Any] | None, *left_out: str) -> dict[str, Any] | None:
    """Return the details of an event without some.

    Predictions and doubts could sway who answers again.
    """
    return detail and (
        {name: value for name, value in detail.items() if name not in left_out} or None
    )


@lru_cache(maxsize=SAME_PARTS)
def _known(label: str, value: bool, asked: bool) -> schemas.KnownOut:
    return schemas.KnownOut(label=label, value=value, source="asked" if asked else "implied")


@lru_cache(maxsize=SAME_PARTS)
def place_out(place: Place) -> schemas.PlaceOut:
    """Return the place of a label in the ontology."""
    return schemas.PlaceOut(
        path=marks(place.path), children=marks(place.children), siblings=marks(place.siblings)
    )


def marks(known: Iterable[KnownMark]) -> list[schemas.Mark]:
    """Return labels with their known values."""
    return [schemas.Mark(label=label, value=value) for label, value in known]


def settled_out(
    settled: Sequence[Settled],
    most: int | None = None,
    *,
    answered: str | None,
    names: Mapping[str, str],
) -> list[schemas.SettledOut]:
    """The labels that became known, at most `most`, the answered one first. The first `REASONS` come with reasons.

    A label that the person answered has no reason.
    """
    first = [one for one in settled if one.label == answered]
    found = ([*first, *(one for one in settled if one.label != answered)] if first else settled)[
        :most
    ]
    return [
        _explained(_Same(one._onto, names), tuple(one._answers.items()), one.label, one.value)  # noqa: SLF001
        if n < REASONS and one.label != answered and one.label not in one._answers  # noqa: SLF001
        else _settled(one.label, one.value)
        for n, one in enumerate(found)
    ]


class _Same:
    """An ontology and its names, compared by identity, because comparing by value takes too long."""

    __slots__ = ("names", "onto")

    def __init__(self, onto: Ontology, names: Mapping[str, str]):
        self.onto = onto
        self.names = names

    def __hash__(self) -> int:
        return hash((id(self.onto), id(self.names)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.onto is self.onto and other.names is self.names


@lru_cache(maxsize=SAME_PARTS)
def _settled(label: str, value: bool) -> schemas.SettledOut:
    return schemas.SettledOut(label=label, value=value, why=None, because=[])


@lru_cache(maxsize=SAME_PARTS)
def _explained(
    same: _Same, answers: tuple[tuple[str, bool], ...], label: str, value: bool
) -> schemas.SettledOut:  # fmt: skip
    """Return a label with the rule behind its value, in plain words, and the values it needed."""
    chain = same.onto.explain(dict(answers), label)
    if not chain.steps or chain.supposed:  # no single rule gave it
        why = "; ".join(
            words_of(rule, about=(label,), names=same.names) for rule in chain.constraints
        )
        because = tuple(chain.answers.items())
    else:
        last = chain.steps[-1]
        why = words_of(
            last.constraint, about=(label, *(name for name, _ in last.because)), names=same.names
        )
        because = last.because
    return schemas.SettledOut(label=label, value=value, why=why, because=marks(because))


def words_of(constraint: c.Constraint, *, about: Sequence[str] = (), names: Names = None) -> str:
    """Return a constraint without its place in a file, which annotators do not see."""
    return in_words(replace(constraint, source=None), about=about, names=names)


def rules_out(
    constraints: Iterable[c.Constraint], *, about: Sequence[str] = (), names: Names = None
) -> list[schemas.RuleOut]:
    """Return constraints as they are written, and in words."""
    return [
        schemas.RuleOut(
            kind=KINDS[type(one)],
            parent=one.parent if isinstance(one, c.Subsumes | c.Covers) else None,
            children=list(one.children) if isinstance(one, c.Subsumes | c.Covers) else [],
            labels=list(one.labels),
            text=render_constraint(one),
            words=words_of(one, about=about, names=names),
            weight=one.weight if isinstance(one, c.Soft) else None,
        )
        for one in constraints
    ]
