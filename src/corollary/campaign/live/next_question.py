"""The next question for a person, and everything that the page shows with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...logic.engines import Facts
from ...logic.readable import called
from ...logic.wording import QUOTED_UP_TO, question_in_words
from ..events import ANSWER
from ..items import Item
from ..labels.label_places import Place, Places
from ..settings import Settings
from ..state.measured_costs import asked_for
from ..state.second_opinions import Cell, share
from ..state.standings import blank
from ..state.state import State
from ..storage.records import Lease
from .replies import Seen, believed_and_known, seen_by
from .suggestions import Guess, Options, Parents, guess, likeliest, options_of


@dataclass(frozen=True, slots=True)
class HeldQuestion:
    """A question held for a person.

    Attributes
    ----------
    id, expires
        The lease, and when it runs out.
    item, label, name
        The question. Without a label it is about the whole item. `name` is the label's displayed name.
    text, definition, place
        The sentence, the definition of the label, and its place in the ontology.
    if_yes, if_no
        The other labels that each answer would settle.
    known, answered
        The known labels that may be shown, and those of them that people answered.
    options
        For a whole item: the open labels, the most probable narrowest one first.
    ends
        The options that can be the narrowest.
    none, one
        Whether none of the options may hold, and whether a single pick settles them all.
    open, pickable
        The number of open labels, and of those that can be the narrowest, even if not all are listed.
    model
        The number of the model in use.
    guess
        The model's prediction, if the campaign shows any.
    """

    id: str
    item: Item
    label: str | None
    text: str
    if_yes: dict[str, bool]
    if_no: dict[str, bool]
    definition: str | None
    place: Place | None
    options: tuple[str, ...]
    expires: str
    model: int
    known: dict[str, bool]
    answered: frozenset[str]
    name: str | None = None
    ends: frozenset[str] = frozenset()
    none: bool = True
    one: bool = False
    open: int = 0
    pickable: int = 0
    guess: Guess | None = None

    @property
    def suggestion(self) -> Guess | None:
        """The prediction, if it is shown with this question."""
        return self.guess if self.guess is not None and self.guess.shown else None

    def with_likeliest(self, most: int | None, parents: Parents) -> HeldQuestion:
        """Return a pick with at most `most` options, and without `known`, which may be as long."""
        if self.label is not None or not self.one:
            return self
        options = Options(self.options, self.ends, self.none, self.one, self.open, self.pickable)
        few = likeliest(options, most, parents)
        return (
            self if few is options else replace(self, options=few.labels, ends=few.ends, known={})
        )


def choose(state: State, who: str, number: int) -> Cell | None:
    """Return the next question for a person who has had `number` before; None if nothing is left.

    Gold questions come at their share. Second opinions and retries are first, then the best
    question, and skipped questions last.
    """

    def others(people: frozenset[str]) -> bool:
        return who not in people

    def free(item: str) -> bool:
        return item not in state.leased and not state.standing_of(item).rests

    waiting = state.waiting
    settings = state.settings
    gold = [waiting.gold] if share(settings.seed, "gold", who, number) < settings.gold_share else []
    for pool in (*gold, waiting.second, waiting.unsure):
        if (found := pool.first(others, free)) is not None:
            return found
    return (
        _best(state, who)
        or waiting.later.first(others, free)
        or waiting.own.first(lambda people: who in people, free)
    )


def draw(state: State, who: str, number: int) -> Cell | None:
    """Return a question about a random open item, if one is due and there is a model."""
    settings = state.settings
    if not state.has_model or share(settings.seed, "by chance", who, number) >= settings.by_chance:
        return None
    found = state.session.drawn(share(settings.seed, "which", who, number), who=who)
    if found is None or who in state.standing_of(state.ids[found[0]]).said.flags:
        return None
    return _cell(state, found)


def _cell(state: State, found: tuple[int, int]) -> Cell:
    """Return the item and the label of a question."""
    return state.ids[found[0]], state.onto.labels[found[1]] if found[1] < len(state.onto) else None


def may_ask(state: State, who: str, cell: Cell) -> bool:
    """Whether a question that a person holds is still worth asking."""
    item, label = cell
    one = state.standing_of(item)
    waiting = state.waiting
    if one.rests or who in one.said.flags:
        return False
    if label is None:
        if asked_for(state.settings, state.onto) == "labels":
            return False
        answered = who in one.said.replied() if cell in waiting.second else one.said.has_said(who)
        is_open = bool((state.session.sure[state.row(item)] < 0).any())
        return (
            not answered
            if cell in waiting.second
            else is_open and not (state.settings.fallible and answered)
        )
    if label not in state.onto.index or who in one.said.unsure.get(label, ()):
        return False
    is_open = bool(state.session.sure[state.row(item), state.onto.index[label]] < 0)
    answered = who in one.said.opinions.get(label, {})
    if state.settings.fallible:
        return not answered and (is_open or cell in waiting.gold)
    return is_open or ((cell in waiting.second or cell in waiting.gold) and not answered)


def _best(state: State, who: str) -> Cell | None:
    """Return the best question about an item that the person did not flag."""
    passed: list[str] = []
    last = _last_answered(state, who)
    while (best := state.session.best(last, who=who)) is not None:
        item = state.ids[best[0]]
        if who not in state.standing_of(item).said.flags:
            break
        passed.append(item)
        state.session.hold(item)
    for item in passed:
        state.session.hold(item, item in state.leased or state.standing_of(item).rests)
    return None if best is None else _cell(state, best)


def _last_answered(state: State, who: str) -> tuple[int, int] | None:
    """Return row and column of a person's last answer, where the next question may stay."""
    if state.settings.stay is None:
        return None
    last = next(
        (event for event in reversed(state.of_person.get(who, ())) if event.kind == ANSWER), None
    )
    if (
        last is None
        or last.item is None
        or last.label is None
        or last.label not in state.onto.index
    ):
        return None
    return state.row(last.item), state.onto.index[last.label]


def base_of(state: State, item: str, label: str | None, seen: Seen | None) -> Facts:
    """Return the known labels that a person may see when asked about a label, int8 (K,).

    If that label is known already, as for a second opinion, no known label is shown.
    """
    if seen is None:
        return state.session.known_of(state.row(item))
    base = seen.facts(state.onto)
    return base if label is None or base[state.onto.index[label]] < 0 else blank(state.onto)


def put_question(state: State, places: Places, item: Item, lease: Lease) -> HeldQuestion:
    """Make the question of a lease, with everything that is shown with it."""
    onto = state.onto
    label = lease.label
    seen = seen_by(state, lease.who, item.id, asked=label)
    base = base_of(state, item.id, label, seen)
    model = 0 if state.model is None else int(state.model.value)
    known = {onto.labels[k]: bool(base[k]) for k in np.flatnonzero(base >= 0).tolist()}
    # The answers in effect may depend on hidden ones.
    answered = frozenset(known) & frozenset(
        state.standing_of(item.id).answers if seen is None else seen.answers
    )
    if label is None:
        options = options_of(onto, *believed_and_known(state, lease.who, item.id))
        return HeldQuestion(
            id=lease.id,
            item=item,
            label=None,
            text=whole_sentence(item, state.settings),
            if_yes={},
            if_no={},
            definition=None,
            place=None,
            options=options.labels,
            expires=lease.expires,
            model=model,
            known=known,
            answered=answered,
            ends=options.ends,
            none=options.none,
            one=options.one,
            open=options.open,
            pickable=options.pickable,
            guess=guess(state, lease),
        )
    rows = np.repeat(base[None], 2, axis=0)
    rows[0, onto.index[label]] = 1
    rows[1, onto.index[label]] = 0
    if_yes, if_no = (
        {
            onto.labels[k]: bool(after[k])
            for k in np.flatnonzero((after >= 0) & (base < 0))
            if onto.labels[k] != label
        }
        for after in state.session.follow(rows)
    )
    return HeldQuestion(
        lease.id,
        item,
        label,
        sentence(item, label, state.settings, state.names),
        if_yes,
        if_no,
        state.settings.labels.get(label, {}).get("definition"),
        places.of(label, known),
        (),
        lease.expires,
        model,
        known,
        answered,
        state.names[label],
        guess=guess(state, lease),
    )


#: The question for a pick, unless a setting words it.
PICK = "Which of these is {item}?"


def sentence(
    item: Item, label: str, settings: Settings, names: Mapping[str, str] | None = None
) -> str:
    """Return the question for one label of an item."""
    return question_in_words(_name(item), called(label, names), template_of(label, settings))


def template_of(label: str, settings: Settings) -> str | None:
    """Return the template with {item} and {label} for a label's question; None if none is set."""
    return settings.labels.get(label, {}).get("question") or settings.question


def whole_sentence(item: Item, settings: Settings) -> str:
    """Return the question for all labels of an item."""
    return pick_template(settings).replace("{item}", _name(item, unnamed="it"))


def pick_template(settings: Settings) -> str:
    """Return the template of a pick's question, with or without {item}."""
    return settings.pick_question or PICK


def _name(item: Item, unnamed: str = "this") -> str:
    text = (item.text or "").strip()
    return f"“{text}”" if text and len(text) <= QUOTED_UP_TO and "\n" not in text else unnamed
