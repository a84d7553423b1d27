"""The effects of a new release of the ontology on labels, conflicts and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ...logic.readable import Names, called
from ...logic.release import Release, compare_releases
from ..events import CANT_TELL, LABELS, SAME, WIDER
from ..labels.label_moves import Moves
from ..labels.written_ontology import Words, about_of, said_by
from ..state.standing import Conflict, Standing, conflict_in_words
from ..state.standings import Standings, blank
from ..state.state import State
from .replies import Preview

#: The version of an ontology that is only looked at.
NEXT = 2**62


def parse_ontology(text: str) -> Ontology:
    """Return an ontology from its text; raise CorollaryError if it has no labels or contradicts itself."""
    onto = Ontology.parse(text)
    if not len(onto):
        raise CorollaryError("an ontology needs at least one label")
    onto.propagate({})
    return onto


def preview(state: State, onto: Ontology) -> Preview:
    """Return the effects of another ontology; labels that only one of the two has are not counted."""
    return compare(state, onto, Moves(), state.standings_after(onto, NEXT, Moves()))


def compare(state: State, onto: Ontology, moves: Moves, after: Standings) -> Preview:
    """Return the effects of an ontology with these moves of labels, given the standings under it."""
    old = state.onto
    kept = np.array([item not in state.withdrawn for item in after.items], np.bool_)
    found = after.some(kept)
    called = {label: now for label in old.labels if (now := moves.label(label)) in onto.index}
    was = [old.index[label] for label in called]
    will = [onto.index[str(label)] for label in called.values()]
    rows = np.array([state.row(item) for item in found.items], np.int64)
    settles, reopens = _compare(state.facts[rows][:, was], found.known[:, will])
    untouched = state.tally.items - len(rows)
    more, less = _compare(blank(old)[None, was], blank(onto)[None, will])
    breaks = []
    mends = []
    for item, one in zip(found.items, found.standings, strict=True):
        before = {_same(conflict, moves) for conflict in state.standing_of(item).conflicts}
        breaks += [
            (item, conflict) for conflict in one.conflicts if _same(conflict, Moves()) not in before
        ]
        if before and not one.conflicts and item not in found.refused:
            mends.append(item)
    return Preview(
        tuple(label for label in onto.labels if label not in set(called.values())),
        tuple(label for label in old.labels if label not in called),
        settles + untouched * more,
        reopens + untouched * less,
        tuple(breaks),
        tuple(mends),
        tuple((item, str(clash)) for item, clash in found.refused.items()),
    )


def _compare(before: Facts, after: Facts) -> tuple[int, int]:
    """Return how many labels are new or changed after, and how many are lost or changed."""
    return int(((after >= 0) & (before != after)).sum()), int(
        ((before >= 0) & (before != after)).sum()
    )


def _same(conflict: Conflict, moves: Moves) -> object:
    said = (
        (one.who, moves.target(one.label) or one.label, one.value, one.seq)
        for one in conflict.opinions
    )
    return (conflict.kind, tuple(said))


@dataclass(frozen=True, slots=True)
class OutOfEffect:
    """An answer that would no longer be in effect, with the reason.

    `label` is the label's current name, `value` is yes, no or "cant_tell". `seq` is the number of
    the event, None for "cant_tell".
    """

    item: str
    label: str
    value: bool | str
    who: str
    seq: int | None
    reason: str


@dataclass(frozen=True)
class Update:
    """What a new release would do.

    Attributes
    ----------
    release
        The labels that come, go, move, and are renamed or merged.
    change
        What the release settles, reopens and breaks.
    stay, follow
        The number of statements of people in effect whose label stays, or is another one.
    out_of_effect
        All statements that would no longer be in effect.
    version
        The version of the ontology in force.
    """

    release: Release
    change: Preview
    stay: int
    follow: int
    out_of_effect: tuple[OutOfEffect, ...]
    version: int

    def detail(self, words: Mapping[str, Mapping[str, str]], file: str = "") -> dict[str, Any]:
        """The detail of the event that puts the release in force; `words` is the setting `labels` now."""
        found: dict[str, Any] = {
            SAME: self.release.same,
            WIDER: self.release.wider,
            LABELS: _words_after(self.release, words),
        }
        return found | ({"file": file} if file else {})

    def counts(self) -> dict[tuple[str, str], dict[str, int]]:
        """The number of yes, no and can't tell that go out of effect, by label and reason."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for one in self.out_of_effect:
            of_label = found.setdefault(
                (one.label, one.reason), {"yes": 0, "no": 0, "cant_tell": 0}
            )
            word = one.value if isinstance(one.value, str) else "yes" if one.value else "no"
            of_label[word] += 1
        return found


def plan(state: State, new: Ontology, follow: Mapping[str, str] | None = None) -> Update:
    """What becomes of labels and statements under a new release.

    Parameters
    ----------
    state
        The campaign as it is.
    new
        The release.
    follow
        Labels in force and labels of the release that mean the same, as a lead says.

    Raises
    ------
    CorollaryError
        If the release has no labels, if it contradicts itself, or if `follow` names a label that does not exist.
    """
    if not len(new):
        raise CorollaryError("an ontology needs at least one label")
    release = compare_releases(
        state.onto, new, about=about_of(state.settings.labels), follow=follow
    )
    onto = Ontology.parse(str(release.onto))  # as it will be stored
    onto.propagate({})
    moves = Moves(release.same, release.wider)
    found = state.standings_after(onto, NEXT, moves)
    change = compare(state, onto, moves, found)
    stay = moved = 0
    lost = []
    for item, after, known in zip(found.items, found.standings, found.known, strict=True):
        before = state.standing_of(item)
        for label, value, who, seq in _statements(before):
            target = moves.target(label) if value is True else moves.label(label)
            holds = label if target is None else target
            if target is None and value is False:
                holds = release.wider.get(label, label)  # a no to the wider label says it as well
                gone = label not in release.wider
            else:
                gone = target is None
            k = None if gone else onto.index.get(holds)
            if value == CANT_TELL:
                in_effect = k is not None
            else:
                in_effect = k is not None and known[k] == value
            if not in_effect:
                reason = _reason(release, state.names, label, value, seq, after, k is None)
                lost.append(OutOfEffect(item, label, value, who, seq, reason))
            elif holds != label:
                moved += 1
            else:
                stay += 1
    return Update(release, change, stay, moved, tuple(lost), state.version)


class Seen(NamedTuple):
    """What a lead saw before putting a release in force: the version then, and the number of answers out of effect."""

    version: int
    out_of_effect: int

    def check(self, update: Update) -> None:
        """Raise CorollaryError if the update does more than the lead saw."""
        if update.version != self.version:
            raise CorollaryError(
                f"the ontology was changed meanwhile: version {update.version} is in force, and the preview was of "
                f"version {self.version}. Nothing was changed; look at the preview again"
            )
        if (n := len(update.out_of_effect)) > self.out_of_effect:
            raise CorollaryError(
                f"there are new answers: {n:,} would go out of effect, and the preview listed {self.out_of_effect:,}. "
                "Nothing was changed; look at the preview again"
            )


def _statements(one: Standing) -> Iterator[tuple[str, bool | str, str, int | None]]:
    """Yield label, value, person and event of each answer in effect about an item."""
    for label, claim in one.effect.items():
        if claim.decided:
            yield label, claim.value, claim.who, claim.seq
            continue
        for opinion in one.said.opinions[label].values():
            if opinion.value == claim.value:
                yield label, opinion.value, opinion.who, opinion.seq
    for aside, people in one.said.unsure.items():
        if aside is not None and aside not in one.effect:
            for who in people:
                yield aside, CANT_TELL, who, None


def _reason(
    release: Release,
    names: Names,
    label: str,
    value: bool | str,
    seq: int | None,
    after: Standing,
    gone: bool,
) -> str:
    if gone and label in release.gone:
        return release.gone[label]
    if label in release.wider and value is not True:
        wide = called(release.wider[label], names)
        return f"{release.reasons[label]}; a no to it is not a no to all of {wide}"
    conflict = next((one for one in after.conflicts if one.concerns(seq or 0)), None)
    if conflict is not None:
        return conflict_in_words(conflict, names)
    if any(one.seq == seq for one in after.overruled):
        return "a decision of the lead is against it"
    target = release.same.get(label, label)
    if value is False and target is not None and target in release.wider.values():
        return f"the same person said yes to a label that is part of {called(target, names)} now"
    return "another statement about the same label is in effect"


def _words_after(release: Release, words: Mapping[str, Mapping[str, str]]) -> Words:
    """Return the setting `labels` under a release: from its file, else as it was."""
    from_file = said_by(release.onto.about)
    was = {
        target: words[label]
        for label in words
        if label not in release.gone
        and label not in release.wider
        and (target := release.same.get(label, label)) is not None
    }
    found = {
        label: {**was.get(label, {}), **from_file.get(label, {})}
        for label in release.onto.labels
        if label in was or from_file.get(label)
    }
    for label, target in release.same.items():
        if target in found and found[target].get("name") in (label, target):
            del found[target]["name"]  # the name is the label itself
    return {label: said for label, said in found.items() if said}
