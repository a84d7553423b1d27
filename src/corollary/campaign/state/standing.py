"""The standing of one item: opinions about it, the answers in effect, and the conflicts.

All are pure functions of the item's events and the ontology. The same events always give the same
facts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Literal, NamedTuple

from ...logic.errors import Contradiction
from ...logic.language.constraints import Constraint
from ...logic.ontology import Ontology
from ...logic.readable import Names, called
from ...logic.wording import clash_in_words
from ..events import (
    ACCEPT,
    ANSWER,
    CANT_TELL,
    DECISION,
    DOUBT,
    FACT,
    FLAG,
    GOLD,
    SKIP,
    UNDO,
    UNFLAG,
    WITHDRAW,
    Event,
)
from ..labels.statements import Statements

#: The person in whose name labels are imported.
IMPORT = "import"
#: The number of clashes that are cached.
CLASHES = 10_000
#: Kinds of events that take others back.
TAKES_BACK = (UNDO, UNFLAG)
#: Opinions by event and label.
Doubted = frozenset[tuple[int, str]]
#: Facts of one item, in order.
Facts = tuple[tuple[str, bool], ...]
#: Finds the clash among facts, if there is one.
Find = Callable[[Facts], Contradiction | None]


class Opinion(NamedTuple):
    """One person's current answer about one label of an item.

    `decided` says that a lead settled it. If the answer comes from a pick, `picked` has the picked
    labels; it is empty for "none of these".
    """

    who: str
    label: str
    value: bool
    seq: int
    decided: bool = False
    picked: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Conflict:
    """Opinions that cannot all be true.

    In a disagreement, people gave different answers about one label. In a clash, the ontology does
    not allow the answers together. A clash is minimal, and can be a single opinion.
    """

    kind: Literal["disagreement", "clash"]
    opinions: tuple[Opinion, ...]
    constraints: tuple[Constraint, ...]
    message: str

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the conflict, in the order in which they were answered."""
        return tuple(dict.fromkeys(opinion.label for opinion in self.opinions))

    def concerns(self, seq: int) -> bool:
        """Whether the answer of this event is part of the conflict."""
        return any(opinion.seq == seq for opinion in self.opinions)


@dataclass(frozen=True)
class Said:
    """The statements about an item that were not taken back, before any logic.

    `opinions` are by label, then by person.
    """

    opinions: dict[str, dict[str, Opinion]] = field(default_factory=dict)
    decided: dict[str, Opinion] = field(default_factory=dict)
    #: Who can't tell, and who skipped; None is the question for the whole item.
    unsure: dict[str | None, tuple[str, ...]] = field(default_factory=dict)
    skipped: dict[str | None, tuple[str, ...]] = field(default_factory=dict)
    #: Who flagged the item, by which event.
    flags: dict[str, int] = field(default_factory=dict)
    #: Doubts in effect that no later decision about the item has answered.
    doubts: tuple[int, ...] = ()
    #: The number of answers in effect, including "can't tell". A skip is not an answer.
    asked: int = 0
    #: The event that withdrew the item. Until it is undone, no other statement counts.
    withdrawn: int | None = None
    #: Events by which a lead accepted predictions. They count as the lead's opinions.
    accepted: frozenset[int] = frozenset()
    #: Replies about the whole item. Each is one opinion, on one or more labels.
    wholes: frozenset[int] = frozenset()
    #: Replies that are picks: "it is X" or "none of them". Such a reply counts whole or not at all.
    picks: frozenset[int] = frozenset()

    def replied(self) -> dict[str, list[str]]:
        """Return the people who replied about the whole item, with the labels they stated."""
        found: dict[str, list[str]] = {}
        for label, by in self.opinions.items() if self.wholes else ():
            for who, one in by.items():
                if one.seq in self.wholes:
                    found.setdefault(who, []).append(label)
        return found

    def has_said(self, who: str) -> bool:
        """Whether `who` has an opinion about the item that no decision contradicts."""
        return any(
            label not in self.decided or self.decided[label].value == by[who].value
            for label, by in self.opinions.items()
            if who in by
        )


@dataclass(frozen=True)
class Standing:
    """The statements about an item, the opinions in effect, and the conflicts.

    `effect` has decisions first, then opinions in order.
    """

    said: Said
    effect: dict[str, Opinion]
    conflicts: tuple[Conflict, ...] = ()
    #: Opinions that cannot be true together with the decisions alone.
    overruled: tuple[Opinion, ...] = ()
    #: If annotators can be wrong: the improbable opinions, by event and label. They are not in effect,
    #: and conflicts hold nothing up. None if answers are facts.
    doubted: Doubted | None = None

    @property
    def held(self) -> bool:
        """Whether nobody is asked about the item until someone settles its conflicts."""
        return bool(self.conflicts) and self.doubted is None

    @property
    def withdrawn(self) -> bool:
        """Whether a lead withdrew the item."""
        return self.said.withdrawn is not None

    @property
    def rests(self) -> bool:
        """Whether nobody is asked about the item."""
        return self.held or self.withdrawn

    @property
    def answers(self) -> dict[str, bool]:
        """The answers in effect."""
        return {label: opinion.value for label, opinion in self.effect.items()}

    def is_accepted(self, label: str) -> bool:
        """Whether an answer in effect is an accepted prediction that nobody was asked about."""
        if not self.said.accepted or self.effect[label].decided:
            return False
        return all(
            opinion.seq in self.said.accepted for opinion in self.said.opinions[label].values()
        )

    @property
    def set_aside(self) -> tuple[str | None, ...]:
        """Questions that someone skipped or could not tell, and that nobody answered."""
        if not self.said.unsure and not self.said.skipped:
            return ()
        asked = (
            label for label in {**self.said.unsure, **self.said.skipped} if label not in self.effect
        )
        return tuple(asked)


NOTHING = Standing(Said(), {})


def standing(
    events: Sequence[Event],
    onto: Ontology,
    statements: Statements,
    *,
    doubted: Doubted | None = None,
) -> Standing:
    """Return the standing of an item after its events.

    Parameters
    ----------
    events
        The events of the item, in order of `seq`.
    onto, statements
        The ontology, and how answers are read under it.
    doubted
        The improbable answers, which do not count; None if answers are facts.

    Raises
    ------
    Contradiction
        The decisions of leads contradict each other.
    """
    said = what_is_said(events, onto, statements)
    find = partial(find_clash, onto)
    whole = settle(said, *claims(said, onto), find)
    return whole if doubted is None else weighed(whole, doubted, onto, find)


def taken_back(events: Iterable[Event]) -> tuple[set[int], set[int]]:
    """Return the events that were taken back, and the answers that decisions in effect reject."""
    events = list(events)
    undone = {
        event.refers for event in events if event.kind in TAKES_BACK and event.refers is not None
    }
    decisions = (event for event in events if event.kind == DECISION and event.seq not in undone)
    return undone, {seq for event in decisions for seq in (event.detail or {}).get("reject", ())}


def what_is_said(events: Sequence[Event], onto: Ontology, statements: Statements) -> Said:
    """Return the last answer of each person on each label, the decisions, flags and doubts.

    A withdrawn item has no statements. Whoever contradicts their own pick takes back the whole pick.
    """
    undone, rejected = taken_back(events)
    last: dict[str | None, dict[str, tuple[bool | str, int]]] = {}
    decided: dict[str, Opinion] = {}
    flags: dict[str, int] = {}
    doubts: list[int] = []
    accepted: set[int] = set()
    wholes: set[int] = set()
    picks: dict[int, tuple[str, ...]] = {}
    replaced: set[int] = set()
    asked = 0
    aside = False
    for event in events:
        if event.seq in undone:
            continue
        if event.kind == WITHDRAW:
            return Said(withdrawn=event.seq)
        if event.kind in (ANSWER, FACT, ACCEPT):
            asked += event.kind == ANSWER and event.value != SKIP
            aside |= isinstance(event.value, str)
            if event.kind == ACCEPT:
                accepted.add(event.seq)
            elif event.label is None:
                wholes.add(event.seq)
            if event.seq in rejected:
                continue
            cells, about, picked = statements.of(event, onto)
            if picked is not None:
                picks[event.seq] = picked
            if about:
                for spoken in about & last.keys():
                    replaced.add(last[spoken].pop(event.who, (False, 0))[1])
            for label, value in cells.items():
                of_cell = last.setdefault(label, {})
                if event.who in of_cell:
                    before, seq = of_cell[event.who]
                    answered = before == value and seq not in accepted and seq not in wholes
                    if picked is not None and event.kind == ACCEPT and answered:
                        continue  # they answered that label themselves
                    # Taken out first, so that people are in the order of their current answers.
                    del of_cell[event.who]
                    if before != value:
                        replaced.add(seq)
                of_cell[event.who] = (value, event.seq)
        elif event.kind in (DECISION, GOLD):
            label = statements.label_of(event, onto)
            decided[label] = Opinion(event.who, label, bool(event.value), event.seq, decided=True)
            doubts.clear()
        elif event.kind == FLAG:
            flags[event.who] = event.seq
        elif event.kind == DOUBT:
            doubts.append(event.seq)
    if statements.moves.moved(onto):
        _follow_merges(last, decided, {event.seq: event for event in events}, onto, statements)
    void = replaced & picks.keys()
    opinions: dict[str, dict[str, Opinion]] = {}
    for label, by_person in last.items():
        for who, (value, seq) in by_person.items():
            if label is not None and isinstance(value, bool) and seq not in void:
                opinion = Opinion(who, label, value, seq, False, picks.get(seq))
                opinions.setdefault(label, {})[who] = opinion
    return Said(
        opinions,
        decided,
        _who_said(last, CANT_TELL) if aside else {},
        _who_said(last, SKIP) if aside else {},
        flags,
        tuple(doubts),
        asked,
        accepted=frozenset(accepted),
        wholes=frozenset(wholes),
        picks=frozenset(picks),
    )


def _follow_merges(
    last: dict[str | None, dict[str, tuple[bool | str, int]]],
    decided: dict[str, Opinion],
    events: Mapping[int, Event],
    onto: Ontology,
    statements: Statements,
) -> None:
    """Turn each yes to a merged label into a yes to the wider label, in place.

    It replaces a no that the same person gave before the merge, but not one given since.
    """

    def target(seq: int) -> str | None:
        event = events[seq]
        return (
            statements.moves_of(event, onto).wider.get(event.label)
            if event.label is not None
            else None
        )

    for label in [label for label in last if label is not None]:
        for who, (value, seq) in [*last[label].items()]:
            if value is True and (wide := target(seq)) is not None:
                del last[label][who]
                there = last.setdefault(wide, {})
                before = there.get(who)
                if before is None or not (
                    before[0] is True or statements.had_moved(events[seq], events[before[1]])
                ):
                    there[who] = (True, seq)
    for label, one in [*decided.items()]:
        if one.value and (wide := target(one.seq)) is not None:
            del decided[label]
            other = decided.get(wide)
            if other is None or not (
                other.value or statements.had_moved(events[one.seq], events[other.seq])
            ):
                decided[wide] = one._replace(label=wide)


def claims(said: Said, onto: Ontology) -> tuple[list[Opinion], list[Conflict]]:
    """Return the opinion that counts for each label, and the disagreements.

    Decisions come first, then opinions by `seq`. If people agree, the first opinion counts. Labels
    that the ontology no longer has do not count, nor do picks that a decision contradicts.
    """
    void = {
        one.seq
        for label, decision in said.decided.items()
        for one in said.opinions.get(label, {}).values()
        if one.seq in said.picks and one.value != decision.value
    }
    counting: list[Opinion] = []
    disagreements: list[Conflict] = []
    for label, decision in said.decided.items():
        if label in onto.index:
            counting.append(decision)
    for label in said.opinions:
        if label in said.decided or label not in onto.index:
            continue
        by = _in_order(said, label, without=void)
        if any(opinion.value != by[0].value for opinion in by):
            disagreements.append(
                Conflict("disagreement", tuple(by), (), f"People disagree on {label}")
            )
        elif by:
            counting.append(by[0])
    counting.sort(key=lambda opinion: (not opinion.decided, opinion.seq, onto.index[opinion.label]))
    disagreements.sort(key=lambda conflict: conflict.opinions[-1].seq)
    return counting, disagreements


def settle(
    said: Said,
    counting: Sequence[Opinion],
    disagreements: Sequence[Conflict],
    find: Find,
) -> Standing:
    """Return the standing in which opinions that clash do not count.

    Opinions are taken one after another. Those in a minimal clash drop out, decisions never do.
    Later answers that clash with a dropped one drop out too. So if three people pick three labels,
    none of the picks counts.

    Parameters
    ----------
    said
        The statements about the item.
    counting, disagreements
        As `claims` returns them.
    find
        Finds the clash among facts, if there is one.

    Raises
    ------
    Contradiction
        The decisions of leads contradict each other.
    """
    effect: list[Opinion] = []
    conflicts = list(disagreements)
    overruled = []
    rest = list(counting)
    while (clash := find(_facts((*effect, *rest)))) is not None:
        n, clash = _first_clash(effect, rest, find, clash)
        effect += rest[: n - 1]
        clashing = [opinion for opinion in (*effect, rest[n - 1]) if opinion.label in clash.answers]
        undecided = [opinion for opinion in clashing if not opinion.decided]
        rest = rest[n:]
        if not undecided:
            raise clash
        out = undecided
        if len(undecided) == 1 < len(clashing):
            overruled.append(
                undecided[0]
            )  # the decisions leave no choice: there is nothing to settle
        else:  # also if the rules alone leave no choice: nobody decided that, so the lead sees it
            conflicts.append(_clash(said, clashing, clash))
            decided = [opinion for opinion in effect if opinion.decided]
            alone = [one for one in undecided if find(_facts([*decided, one])) is None]
            for rival in [one for one in rest if one.value and not one.decided]:
                if find(_facts([*decided, rival])) is not None:
                    continue
                for one in alone:
                    if (found := find(_facts([*decided, one, rival]))) is not None:
                        conflicts.append(_clash(said, [*decided, one, rival], found))
                        out = [*out, rival]
                        break
        effect, rest = (_without(opinions, out, said) for opinions in (effect, rest))
    effect += rest
    return Standing(
        said, {opinion.label: opinion for opinion in effect}, tuple(conflicts), tuple(overruled)
    )


def _clash(said: Said, opinions: Sequence[Opinion], clash: Contradiction) -> Conflict:
    """Return the conflict of the opinions in a clash, with all people who share them."""
    clashing = [claim for claim in opinions if claim.label in clash.answers]
    return Conflict(
        "clash",
        tuple([one for claim in clashing for one in _behind(said, claim)]),
        clash.constraints,
        str(clash),
    )


def _without(opinions: Sequence[Opinion], out: Sequence[Opinion], said: Said) -> list[Opinion]:
    """Return the opinions without those in `out`, and without the whole of their picks."""
    void = {one.seq for claim in out for one in _behind(said, claim) if one.seq in said.picks}
    return [
        claim
        for claim in opinions
        if claim not in out
        and (claim.decided or any(one.seq not in void for one in _behind(said, claim)))
    ]


def weighed(whole: Standing, doubted: Doubted, onto: Ontology, find: Find) -> Standing:
    """Return the standing without improbable opinions; it keeps all conflicts."""
    if not doubted and not whole.conflicts:
        return replace(whole, doubted=doubted)
    picks = {
        seq for seq, label in doubted if seq in whole.said.picks and label in whole.said.opinions
    }
    opinions = {
        label: {
            who: one
            for who, one in by.items()
            if (one.seq, label) not in doubted and one.seq not in picks
        }
        for label, by in whole.said.opinions.items()
    }
    rest = replace(whole.said, opinions={label: by for label, by in opinions.items() if by})
    effect = settle(rest, *claims(rest, onto), find).effect
    return Standing(whole.said, effect, whole.conflicts, whole.overruled, doubted)


def opinion_in_words(one: Opinion, names: Names = None) -> str:
    """Return an opinion in words: `lost`, `none of these` or `yes to lost`."""
    if one.picked is not None:
        return " and ".join(called(label, names) for label in one.picked) or "none of these"
    return f"{'yes' if one.value else 'no'} to {called(one.label, names)}"


def conflict_in_words(conflict: Conflict, names: Names = None) -> str:
    """Return a conflict in words, with the displayed names of labels."""
    if not conflict.constraints and any(one.picked is not None for one in conflict.opinions):
        said = dict.fromkeys(opinion_in_words(one, names) for one in conflict.opinions)
        return f"People disagree: {', '.join(said)}"
    if not conflict.constraints:
        return (
            f"People disagree on {' and '.join(called(label, names) for label in conflict.labels)}"
        )
    answers = {opinion.label: opinion.value for opinion in conflict.opinions}
    return clash_in_words(answers, conflict.constraints, names)


def finding_clashes(onto: Ontology) -> Find:
    """Return a cached `find_clash`, because many items clash in the same way."""
    return lru_cache(maxsize=CLASHES)(partial(find_clash, onto))


def find_clash(onto: Ontology, facts: Facts) -> Contradiction | None:
    """Return the clash among facts of one item; None if they can all be true."""
    try:
        onto.propagate(dict(facts))
    except Contradiction as found:
        # A clash is cached. Its traceback would keep all callers and their items in memory.
        return found.with_traceback(None)
    return None


def _first_clash(
    effect: Sequence[Opinion],
    rest: Sequence[Opinion],
    find: Find,
    clash: Contradiction,
) -> tuple[int, Contradiction]:
    """Return how many of the rest it takes to clash with those in effect, and that clash."""
    # the first `low` agree, the first `high` do not
    low = 0
    high = len(rest)
    while high - low > 1:
        middle = (low + high) // 2
        found = find(_facts((*effect, *rest[:middle])))
        if found is None:
            low = middle
        else:
            high = middle
            clash = found
    return high, clash


def _facts(opinions: Iterable[Opinion]) -> Facts:
    return tuple((opinion.label, opinion.value) for opinion in opinions)


def _behind(said: Said, claim: Opinion) -> list[Opinion]:
    """Return all opinions on a label on which people agree, or the decision."""
    return [claim] if claim.decided else _in_order(said, claim.label)


def _in_order(said: Said, label: str, *, without: Collection[int] = ()) -> list[Opinion]:
    by = [one for one in said.opinions[label].values() if one.seq not in without]
    return sorted(by, key=_seq) if len(by) > 1 else by


def _who_said(
    last: Mapping[str | None, Mapping[str, tuple[bool | str, int]]], value: str
) -> dict[str | None, tuple[str, ...]]:
    found = {
        label: tuple(who for who, (v, _) in by.items() if v == value) for label, by in last.items()
    }
    return {label: people for label, people in found.items() if people}


def _seq(opinion: Opinion) -> int:
    return opinion.seq
