"""Check of labels from elsewhere against an ontology: each violation with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ...logic.engines import Facts
from ...logic.errors import Contradiction, OntologyError
from ...logic.formats import code_of, iri_of
from ...logic.language.constraints import Constraint
from ...logic.ontology import Ontology
from ...logic.readable import AS_WRITTEN
from ...logic.wording import in_words
from .one_class import OneOfEach
from .tools.formats import Record

UNKNOWN = "unknown label"
CLASH = "contradiction"
IMPLIED = "implied but not chosen"
MISSING = "missing label"
KINDS = (UNKNOWN, CLASH, IMPLIED, MISSING)
CHUNK = 5_000  # items that are checked at once
PATTERNS = 50_000  # the number of sets of labels whose violations are cached


@dataclass(frozen=True)
class Violation:
    """One fault in the labels that one person gave to one item."""

    place: str
    item: str
    who: str | None
    kind: str
    labels: tuple[str, ...]
    message: str
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class Found:
    """A fault, without its place."""

    kind: str
    labels: tuple[str, ...]
    message: str
    constraints: tuple[Constraint, ...] = ()

    def at(self, record: Record) -> Violation:
        """Return the violation at the place of a record."""
        return Violation(
            record.place,
            record.item,
            record.who,
            self.kind,
            self.labels,
            self.message,
            self.constraints,
        )


class Check:
    """A check of records, which counts their items and labels.

    Parameters
    ----------
    onto
        The ontology.
    complete
        Labels that were not picked from a list are no. Else they are open, unless no label at all
        was picked.
    narrowest
        Labels that follow from chosen ones need not be chosen.
    """

    def __init__(self, onto: Ontology, *, complete: bool = False, narrowest: bool = False):
        self.onto = onto
        self.complete = complete
        self.narrowest = narrowest
        self._retired = {
            form: one
            for one in reversed(onto.retired)
            for name in (one.name, one.id, *one.alt_ids)
            for form in (name, code_of(name), iri_of(name))
            if form
        }
        self.items = self.labels = 0
        #: Whether the items look like one class each.
        self.one_of_each = OneOfEach(onto)
        self._meant: dict[str, str] = {}  # the label of each text that is not a label itself
        self._unknown = lru_cache(PATTERNS)(self._look_up)
        self._patterns = lru_cache(PATTERNS)(self._wrong)
        onto.propagate({})  # raises if the ontology contradicts itself

    def violations(self, records: Iterable[Record]) -> Iterator[Violation]:
        """Yield every violation; answers to single questions are collected by item and person."""
        waiting: list[Record] = []
        asked: dict[tuple[str, str | None], Record] = {}
        for record in records:
            yield from self._check_names(record)
            if not self._meant.keys().isdisjoint(record.labels):
                said = {self._meant.get(text, text): value for text, value in record.labels.items()}
                record = replace(record, labels=said)
            if record.listed:
                waiting.append(record)
                if len(waiting) == CHUNK:
                    yield from self._check(waiting)
                    waiting = []
            elif record.labels:
                before = asked.get((record.item, record.who))
                yield from _both(before, record)
                merged = {**(before.labels if before else {}), **record.labels}
                place = before.place if before else record.place
                asked[record.item, record.who] = Record(
                    place, record.item, merged, who=record.who, listed=False
                )
        yield from self._check(waiting)
        together = list(asked.values())
        for start in range(0, len(together), CHUNK):
            yield from self._check(together[start : start + CHUNK])

    def _check_names(self, record: Record) -> Iterator[Violation]:
        meant: dict[str, str] = {}
        for text in record.labels:
            if text not in self.onto and (wrong := self._unknown(text)) is not None:
                yield Found(UNKNOWN, (text,), wrong).at(record)
                continue
            label = self._meant.get(text, text)
            other = meant.setdefault(label, text)
            if record.labels[other] != record.labels[text]:
                message = f"{other} and {text} are the same label, once yes and once no"
                yield Found(CLASH, (label,), message).at(record)

    def _look_up(self, text: str) -> str | None:
        """Return the fault of a text that is not a label; None for an id, name or synonym of one."""
        known = self.onto.ids.get(text)
        if known is not None and code_of(self.onto.about[known].id) != code_of(text):
            return f"{text!r} is an alternative id of {known!r}; write {known!r}"
        retired = self._retired.get(text)
        if known is not None or retired is None:
            try:
                self._meant[text] = self.onto.find(text)
            except OntologyError as error:
                unknown = f"unknown label {text!r}"
                return str(error).replace(unknown, f"{text!r} is no label of the ontology")
            return None
        called = f"{text!r} is obsolete"
        if retired.replaced_by:
            return f"{called}, replaced by {self._named(retired.replaced_by)}"
        if retired.consider:
            return f"{called}; consider {self._named(retired.consider)}"
        return f"{called}, and the ontology names no term in its place"

    def _named(self, ids: Iterable[str]) -> str:
        return " or ".join(repr(self.onto.ids.get(one, one)) for one in ids)

    def _check(self, records: list[Record]) -> Iterator[Violation]:
        """Check many records at once, and find the faults of those that have any."""
        self.items += len(records)
        self.labels += sum(len(record.labels) for record in records)
        if not records:
            return
        rows = np.full((len(records), len(self.onto)), -1, np.int8)
        for i, record in enumerate(records):
            for label, value in record.labels.items():
                if label in self.onto:
                    rows[i, self.onto.index[label]] = value
        closed, wrong = self.onto.closure(rows)
        self.one_of_each.add(closed[~wrong])
        listed = np.array([record.listed for record in records])
        every = np.array([self._names_all(record) for record in records])
        implied = ((closed == 1) & (rows != 1)).any(axis=1) & every
        none = ~(rows == 1).any(axis=1) & np.array([not record.labels for record in records])
        lacking = self._lacking(closed, listed & (none | self.complete) & ~wrong)
        for i in np.flatnonzero(wrong | implied | lacking).tolist():
            row = tuple(rows[i].tolist())
            for found in self._patterns(row, records[i].listed, bool(every[i]), bool(lacking[i])):
                yield found.at(records[i])

    def _lacking(self, closed: Facts, asked: np.ndarray) -> np.ndarray:
        """Return which rows are impossible if all their open labels are no."""
        found = np.zeros(len(closed), np.bool_)
        rows = np.flatnonzero(asked)
        if len(rows):
            found[rows] = self.onto.closure(np.where(closed[rows] < 0, 0, closed[rows]))[1]
        return found

    def _names_all(self, record: Record) -> bool:
        """Whether implied labels should be chosen too."""
        return record.listed and not (self.narrowest or record.narrowest)

    def _wrong(
        self, row: tuple[int, ...], listed: bool, every: bool, lacking: bool
    ) -> tuple[Found, ...]:
        """Return all faults in the labels of an item."""
        labels = self.onto.labels
        said = {labels[k]: bool(value) for k, value in enumerate(row) if value >= 0}
        clashes, agreeing = self._clashes(said)
        found = [
            Found(CLASH, tuple(one.answers), _in_words(one, listed), one.constraints)
            for one in clashes
        ]
        if every:
            found += self._implied(agreeing, said)
        if lacking:
            found += self._missing(agreeing)
        return tuple(found)

    def _clashes(self, said: Mapping[str, bool]) -> tuple[list[Contradiction], dict[str, bool]]:
        """Return minimal clashes, and the labels without the last one of each clash."""
        left = dict(said)
        clashes = []
        while True:
            try:
                self.onto.propagate(left)
            except Contradiction as clash:
                clashes.append(clash)
                del left[[label for label in left if label in clash.answers][-1]]
            else:
                return clashes, left

    def _implied(self, agreeing: Mapping[str, bool], said: Mapping[str, bool]) -> list[Found]:
        found = []
        for label, value in self.onto.propagate(agreeing).items():
            if value and not said.get(label):
                why = self.onto.explain(agreeing, label)
                because = _reasons(why.constraints, (label, *why.answers))
                given = " and ".join(why.answers)
                message = (
                    f"{label} follows from {given}: {because}"
                    if given
                    else f"{label} is always yes: {because}"
                )
                found.append(Found(IMPLIED, (label, *why.answers), message, tuple(why.constraints)))
        return found

    def _missing(self, agreeing: Mapping[str, bool]) -> list[Found]:
        """Return the faults of a complete list: at least one of some labels is missing in it."""
        known = self.onto.propagate(agreeing)
        left = {**known, **{label: False for label in self.onto.labels if label not in known}}
        found: list[Found] = []
        while True:
            try:
                self.onto.propagate(left)
            except Contradiction as clash:
                lacking = [label for label in clash.answers if label not in known]
                given = [
                    label for label, value in clash.answers.items() if label in known and value
                ]
                about = f"with {' and '.join(given)} chosen, " if given else ""
                too = " too" if given else ""
                why = _reasons(clash.constraints, tuple(clash.answers))
                message = f"{about}{' or '.join(lacking)} must be chosen{too}: {why}"
                found.append(Found(MISSING, (*lacking, *given), message, clash.constraints))
                for label in lacking:
                    del left[label]
            else:
                return found


def _both(before: Record | None, record: Record) -> Iterator[Violation]:
    for label, value in record.labels.items() if before else ():
        if before is not None and before.labels.get(label, value) != value:
            message = f"{label} is both yes and no, see {before.place}"
            yield Found(CLASH, (label,), message).at(record)


def _in_words(clash: Contradiction, listed: bool) -> str:
    """Return a sentence on the labels that cannot go together, and why."""
    if listed and all(clash.answers.values()):
        named = f"{' and '.join(clash.answers)} cannot be chosen together"
    else:
        said = ", ".join(
            f"{label} is {'yes' if value else 'no'}" for label, value in clash.answers.items()
        )
        named = f"these cannot all be true: {said}"
    if len(clash.answers) == 1:
        named = f"{next(iter(clash.answers))} can never be {'yes' if next(iter(clash.answers.values())) else 'no'}"
    return f"{named}: {_reasons(clash.constraints, tuple(clash.answers))}"


def _reasons(constraints: Iterable[Constraint], about: tuple[str, ...]) -> str:
    """Return the constraints in words; labels that several of them share are named first."""
    every = list(constraints)
    times = Counter(label for one in every for label in dict.fromkeys(one.labels))
    about = (*about, *(label for label, n in times.items() if n > 1))
    return "; ".join(in_words(one, about=about, names=AS_WRITTEN) for one in every)
