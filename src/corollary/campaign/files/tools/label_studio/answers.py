"""Annotations of Label Studio as answers in a campaign's log, each written once.

If an annotation is changed or deleted, so are its answers. The key of each event names its annotation
and that annotation's state, so that the log alone shows which annotations were taken.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from .....logic.errors import Contradiction, CorollaryError, nearest
from ....campaign import Campaign
from ....events import ANSWER, CANT_TELL, FLAG, RESERVED_KEYS, SKIP, UNDO, Event
from ....items import Item, check_alike
from ....live.drafts import check_item
from ....storage.records import ACTIVE, LEAD
from ....vectors import SameVectors
from .tasks import fields_of, item_of, label_of, said_in, text_of, who_of

PREFIX = RESERVED_KEYS.removesuffix("/")
#: The keys of events from annotations, and of events that take these back. Other keys are ignored.
SAYS = re.compile(
    rf"{PREFIX}/([^/]*)/([^/]*)/([^/]*)/([0-9a-f]{{16}})/([0-9]{{1,9}})/([0-9]{{1,9}})"
)
TAKES_BACK = re.compile(rf"{PREFIX}/([^/]*)/([^/]*)/([^/]*)/[0-9]+")
DELETED = "deleted"
NOBODY = "label-studio"  # the annotator of an annotation that names none

#: An annotation: the project's number and its own.
Name = tuple[str, str]


class Task(NamedTuple):
    """The item and the label of a task; None is the whole item."""

    item: str
    label: str | None


@dataclass
class Taken:
    """An annotation in the log: its events in effect, and its state when they were written."""

    stamp: str = ""
    digest: str = ""
    written: int = 0
    standing: list[int] = field(default_factory=list)
    whole: bool = False
    deleted: bool = False


class Annotations:
    """Writes annotations into a campaign; safe to use from many threads, one annotation at a time.

    With `complete`, labels that were not picked from a list are no.
    """

    def __init__(self, campaign: Campaign, *, complete: bool = False):
        self._campaign = campaign
        self._complete = complete
        self._lock = Lock()
        self._tasks: dict[tuple[str, str], Task] = {}
        self._taken: dict[Name, Taken] = {}
        with campaign.lock:
            for event in campaign.state.events:
                self._note(event)

    def meet(self, tasks: Sequence[Mapping[str, Any]], project: str) -> list[Task | CorollaryError]:
        """Return the questions of tasks; items that are new are added, or refused with the reason."""
        found: list[Task | CorollaryError] = []
        new: dict[str, Item] = {}
        vectors = cache(self._campaign.vectors)  # slow, so only called if there is a new item
        with self._lock:
            for task in tasks:
                try:
                    found.append(self._met(task, project, new, vectors))
                except CorollaryError as error:
                    found.append(error)
            if new:
                self._campaign.add(self._lead(), new.values())
        return found

    def take(self, annotation: Mapping[str, Any], task: Any, project: str) -> int:
        """Take an annotation, new or changed, with its task or the task's number; return the number of events."""
        about = self._task(task if task is not None else annotation.get("task"), project)
        self._check_in_use(about.item)
        with self._lock:
            name = _name(annotation, project)
            stamp = _stamp(annotation)
            known = self._taken.setdefault(name, Taken())
            who = who_of(annotation) or NOBODY
            says = self._says(annotation, about)
            digest = _digest(who, about.item, says)
            if (
                known.deleted
                or _earlier(stamp, known.stamp)
                or (known.whole and known.digest == digest)
            ):
                return 0
            before = self._withdraw(name, "changed")
            if not says:
                return before
            self._invite(who)
            for n, (kind, label, value) in enumerate(says, 1):
                key = f"{PREFIX}/{name[0]}/{name[1]}/{stamp}/{digest}/{known.written + 1}/{len(says) - n}"
                if kind == FLAG:
                    event = self._campaign.flag(
                        who, about.item, label, reason="other", note=value, key=key
                    )
                else:
                    seconds = _seconds(annotation) if n == 1 else None
                    event = self._campaign.answer(
                        who, about.item, label, value, key=key, seconds=seconds
                    ).event
                self._note(event)
            return before + len(says)

    def delete(self, annotation: Mapping[str, Any], project: str) -> int:
        """Take back all answers of an annotation; return the number of events."""
        with self._lock:
            name = _name(annotation, project)
            n = self._withdraw(name, DELETED)
            self._taken.setdefault(name, Taken()).deleted = True
            return n

    # -- annotations in the log --------------------------------------------------------------------

    def _note(self, event: Event) -> None:
        """Note the annotation of an event in the log."""
        if event.kind == UNDO and (found := TAKES_BACK.fullmatch(event.key)):
            one = self._taken.setdefault((found[1], found[2]), Taken())
            if event.refers in one.standing:
                one.standing.remove(event.refers)
            one.whole = False
            one.deleted = one.deleted or found[3] == DELETED
        elif event.kind in (ANSWER, FLAG) and (found := SAYS.fullmatch(event.key)):
            one = self._taken.setdefault((found[1], found[2]), Taken())
            one.stamp = found[3]
            one.digest = found[4]
            one.written = int(found[5])
            one.whole = found[6] == "0"
            one.standing.append(event.seq)

    def _task(self, task: Any, project: str) -> Task:
        """Return the question of a task; if only its number is known, from an earlier task or item id."""
        if isinstance(task, Mapping) and "data" in task:
            found = self.meet([task], project)[0]
            if isinstance(found, CorollaryError):
                raise found
            return found
        number = str(task.get("id") if isinstance(task, Mapping) else task)
        if (met := self._tasks.get((project, number))) is not None:
            return met
        if is_there(self._campaign, number):
            return Task(number, None)
        raise CorollaryError(
            f"task {number} is unknown: let the webhook send its payload, or retrieve "
            "predictions for the project's tasks first"
        )

    def _met(
        self,
        task: Mapping[str, Any],
        project: str,
        new: dict[str, Item],
        vectors: Callable[[], SameVectors],
    ) -> Task:
        about = Task(item_of(task), label_of(task))
        if about.item not in new and not is_there(self._campaign, about.item):
            item = Item(about.item, text=text_of(task), fields=fields_of(task))
            if item.text is None and not item.fields:
                raise CorollaryError(
                    f"item {item.id!r} is not in the campaign, and its task has nothing to show"
                )
            next(check_alike([item], vectors()))
            new[item.id] = item
        elif about.item not in new:
            self._check_in_use(about.item)
        if task.get("id") is not None:
            self._tasks[project, str(task["id"])] = about
        return about

    def _check_in_use(self, item: str) -> None:
        with self._campaign.lock:
            check_item(self._campaign.state, item)

    # -- events of an annotation ----------------------------------------------------------------------

    def _says(
        self, annotation: Mapping[str, Any], about: Task
    ) -> list[tuple[str, str | None, Any]]:
        """Return the events of an annotation: kind, label and value."""
        onto = self._campaign.state.onto
        if annotation.get("was_cancelled"):
            return [] if about.label is None else [(ANSWER, about.label, SKIP)]
        said = said_in(annotation, about.label)
        says: list[tuple[str, str | None, Any]] = [
            (ANSWER, label, CANT_TELL) for label in said.unsure
        ]
        names = {label: value for label, value in said.labels.items() if label in onto}
        notes = [
            f"{label!r} is no label of the ontology{nearest(label, onto.labels)}"
            for label in said.labels.keys() - names
        ]
        if self._complete and said.listed:
            try:
                on = onto.propagate(names)
                onto.propagate({label: on.get(label, False) for label in onto.labels})
                says.append((ANSWER, None, list(names)))
                names = {}
            except Contradiction as clash:
                notes.append(str(clash))
        says += [(ANSWER, label, value) for label, value in names.items()]
        return says + [
            (FLAG, None, f"Label Studio, annotation {annotation.get('id')}: {note}")
            for note in sorted(notes)
        ]

    def _withdraw(self, name: Name, why: str) -> int:
        """Take back the events of an annotation; return their number."""
        undone = 0
        for seq in list(self._taken.get(name, Taken()).standing):
            key = f"{PREFIX}/{name[0]}/{name[1]}/{why}/{seq}"
            with self._campaign.lock:
                gone = seq in self._campaign.state.taken_back
            if gone:  # a lead took it back on the page
                self._taken[name].standing.remove(seq)
            else:
                self._note(self._campaign.undo(self._lead(), seq, key=key).event)
                undone += 1
        return undone

    def _invite(self, who: str) -> None:
        if all(person.name != who for person in self._campaign.annotators()):
            self._campaign.invite(who)  # nobody gets the token: they answer in Label Studio

    def _lead(self) -> str:
        return next(
            one.name
            for one in self._campaign.annotators()
            if one.role == LEAD and one.state == ACTIVE
        )


def is_there(campaign: Campaign, item: str) -> bool:
    """Whether a campaign has an item."""
    with campaign.lock:
        try:
            campaign.state.row(item)
        except CorollaryError:
            return False
        return True


def _name(annotation: Mapping[str, Any], project: str) -> Name:
    number = annotation.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str) or not str(number):
        raise CorollaryError(f"an annotation needs an id, got {number!r}")
    return project.replace("/", "-")[:40], str(number).replace("/", "-")[:40]


def _stamp(annotation: Mapping[str, Any]) -> str:
    return str(annotation.get("updated_at") or annotation.get("created_at") or "").replace(
        "/", "-"
    )[:40]


def _earlier(stamp: str, known: str) -> bool:
    """Whether a state of an annotation is older than the one taken before."""
    try:
        return datetime.fromisoformat(stamp) < datetime.fromisoformat(known)
    except (ValueError, TypeError):
        return False


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _seconds(annotation: Mapping[str, Any]) -> float | None:
    found = annotation.get("lead_time")
    return (
        float(found)
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e9
        else None
    )
