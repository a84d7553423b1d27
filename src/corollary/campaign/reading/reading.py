"""The reading side of a campaign: every method returns the state at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from threading import RLock
from typing import Any

from ..events import Event
from ..items import Item, Picture
from ..live.leading import MOST
from ..live.live import Live
from ..live.replies import Seen, ToSettle, Why, seen_by
from ..live.reporting import Witness, witnesses
from ..people import People
from ..settings import Settings
from ..state.standing import Conflict
from ..state.state import State
from ..state.unreadable import Trouble
from ..storage.records import ACTIVE, Annotator, Lease, OntologyVersion, StoreError
from ..storage.store import Place
from ..vectors import SameVectors
from . import views
from .doubtful import Doubtful, Weighed, blamed, doubtful, hearing_of, improbable, weighed
from .item_list import ItemList, Page, Wanted
from .option_search import Found, find_options
from .probabilities import unheard
from .verification import verify


class CampaignReading:
    """The methods of a campaign that look things up."""

    def __init__(self, live: Live):
        self._live = live
        self._ledger = live.ledger
        self._item_list = ItemList(live)

    @property
    def in_step(self) -> bool:
        """Whether memory and store agree, as far as the store knows. If not, call `keep_up`."""
        return self._ledger.in_step

    def keep_up(self) -> None:
        """Read the store again if memory and store may differ; this may take long.

        Raises
        ------
        StoreError
            The store cannot be read.
        """
        self._ledger.keep_up()

    @property
    def _people(self) -> People:
        return self._live.members

    @property
    def state(self) -> State:
        """The state that follows from the log; read it under `lock`."""
        return self._ledger.state

    @property
    def trouble(self) -> Trouble | None:
        """The event that this version cannot apply, if the campaign is read only; usually None."""
        return self.state.trouble

    @property
    def lock(self) -> RLock:
        """The lock under which the state changes."""
        return self._ledger.lock

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self._live.store.name

    @property
    def about(self) -> str:
        """The description of the campaign."""
        return self._live.store.about

    @property
    def made_at(self) -> str:
        """The time when the campaign was made, UTC."""
        return self._live.store.made_at

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.state.settings

    @property
    def names(self) -> Mapping[str, str]:
        """The displayed name of each label; the setting `labels` can change it."""
        return self.state.names

    def stored_events(self, after: int) -> Iterator[Event]:
        """Return the events on disk after event `after`, in order; not under the lock.

        Parameters
        ----------
        after : int
            The number of an event; 0 for all events.

        Returns
        -------
        iterator of Event
            The events.
        """
        return self._live.store.events(after)

    def hook_place(self, name: str) -> int | None:
        """Return the last event that was sent to a webhook.

        Parameters
        ----------
        name : str
            The name of the webhook.

        Returns
        -------
        int or None
            The number of the event; None if none was sent.
        """
        return self._live.store.hook_place(name)

    def history(
        self, who: str, limit: int = 50, before: int | None = None
    ) -> list[views.Remembered]:
        """Return a person's answers, flags and doubts, the last first.

        Parameters
        ----------
        who : str
            The name of the person.
        limit : int
            The largest number to return.
        before : int, optional
            Return only events before this one.

        Returns
        -------
        list of Remembered
            Each event, and whether it is still in effect.
        """
        with self.lock:
            return views.history(self.state, who, limit, before)

    def explain(self, item: str, label: str, *, who: str | None = None) -> Why:
        """Explain the value of a label of an item, with the answers that it follows from.

        Parameters
        ----------
        item : str
            The id of the item.
        label : str
            The label, or its id, name or synonym.
        who : str, optional
            Use only the answers that this person may see.

        Returns
        -------
        Why
            The value and its explanation, which are None if the label is open, and the answers.
        """
        with self.lock:
            return views.explain(self.state, item, label, self._seen(who, item))

    def item(self, id: str, *, who: str | None = None) -> views.ItemView:
        """Return an item with its known labels and its events.

        Parameters
        ----------
        id : str
            The id of the item.
        who : str, optional
            Return only the labels that this person may see. The events are not filtered.

        Returns
        -------
        ItemView
            The item, the value of each label, and its source.
        """
        with self.lock:
            self.state.row(id)
            return views.item_view(self.state, self._live.items[id], self._seen(who, id))

    def probable(self, id: str) -> dict[str, float]:
        """Return the probability of yes for each open label of an item.

        Parameters
        ----------
        id : str
            The id of the item.

        Returns
        -------
        dict of str to float
            The probability by label; empty before the first model.
        """
        with self.lock:
            state = self.state
            i = self.state.row(id)
            if not state.has_model:
                return {}
            onto = state.onto
            facts = state.facts[i : i + 1].copy()
            beliefs = state.session.beliefs[i : i + 1]
        p = onto.posterior(beliefs, facts)[0]
        return {label: float(p[k]) for k, label in enumerate(onto.labels) if facts[0, k] < 0}

    def _seen(self, who: str | None, item: str) -> Seen | None:
        if who is None:
            return None
        held = self._live.leases.on(item)
        return seen_by(
            self.state,
            who,
            item,
            asked=held.label if held is not None and held.who == who else None,
        )

    def items(self, *, query: str = "", limit: int = 50, after: str | None = None) -> list[Item]:
        """Return items whose id or text contains the query, in order.

        Parameters
        ----------
        query : str
            The text to look for, in any case.
        limit : int
            The largest number of items to return.
        after : str, optional
            Return only items after the one with this id.

        Returns
        -------
        list of Item
            The items, also withdrawn ones.
        """
        with self.lock:
            ids = self.state.ids
            start = 0 if after is None else self.state.row(after) + 1
        wanted = query.casefold()
        found = []
        for item in (self._live.items[one] for one in ids[start:]):
            if wanted in item.id.casefold() or wanted in (item.text or "").casefold():
                found.append(item)
                if len(found) == limit:
                    break
        return found

    def list_items(self, wanted: Wanted | None = None, *, offset: int = 0, limit: int = 50) -> Page:
        """Return a page of items, searched, filtered and sorted, with known and predicted labels.

        Parameters
        ----------
        wanted : Wanted, optional
            The filters and the order; by default all items in use, in order.
        offset, limit : int
            The first item and the number of items to return.

        Returns
        -------
        Page
            The items, and the number of all that fit.

        Raises
        ------
        CorollaryError
            A filter is unknown, or items are sorted by the probability of no label.
        """
        return self._item_list.page(wanted or Wanted(), offset=offset, limit=limit)

    def list_ids(self, wanted: Wanted | None = None, *, most: int = MOST) -> list[str]:
        """Return the ids of all items that fit.

        Parameters
        ----------
        wanted : Wanted, optional
            The filters, as in `list_items`.
        most : int
            The largest number of ids.

        Returns
        -------
        list of str
            The ids, in the order of the items.

        Raises
        ------
        CorollaryError
            There are more than `most`, or a filter is unknown.
        """
        return self._item_list.ids(wanted or Wanted(), most=most)

    def options(
        self,
        item: str,
        *,
        who: str | None = None,
        query: str = "",
        under: str | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> Found:
        """Return the options of an item, some at a time, the most probable first.

        Parameters
        ----------
        item : str
            The id of the item.
        who : str, optional
            Return only options that this person may see.
        query : str
            Return only options with these letters in a name.
        under : str, optional
            Return only options right below this label. If empty, those with no open label above.
        offset, limit : int
            The first option and the number of options to return.

        Returns
        -------
        Found
            The options, and the number of all that were found.
        """
        return find_options(
            self._live, item, who, query=query, under=under, offset=offset, limit=limit
        )

    def vectors(self) -> SameVectors:
        """Return the check that new items have vectors like those of the current items.

        Returns
        -------
        SameVectors
            Its method `check` takes the vector of a new item.
        """
        with self.lock:
            return self._live.vectors()

    def picture(self, id: str) -> Picture | None:
        """Return the picture of an item, with its bytes.

        Parameters
        ----------
        id : str
            The id of the item.

        Returns
        -------
        Picture or None
            The picture; None if there is no picture, or no such item.
        """
        found = self._live.store.item(id)
        return None if found is None else found.image

    @property
    def ontology_text(self) -> str:
        """The ontology in force, in the notation."""
        return next(
            one.text for one in self._live.store.ontologies() if one.version == self.state.version
        )

    def ontology_versions(self) -> list[OntologyVersion]:
        """Return all versions of the ontology, the oldest first, with author and time.

        Returns
        -------
        list of OntologyVersion
            The versions. The last one need not be in force.
        """
        return self._live.store.ontologies()

    def stored(self) -> int:
        """Compare memory with the store and return the number of the last event.

        Do not call it under the lock.

        Returns
        -------
        int
            The number of the last event on disk.

        Raises
        ------
        StoreError
            Memory and store differ. The store is read again before the next access.
        """
        with self.lock:
            before = self.state.seq
        self._ledger.flush()
        last, items = self._live.store.summary()
        with self.lock:
            seq = self.state.seq
            known = len(self._live.items)
            if not before <= last <= seq or (last == seq and items != known):
                self._ledger.distrust()
                raise StoreError(
                    f"the store has {last:,} events and {items:,} items, memory {seq:,} and {known:,}; it is read again"
                )
        return last

    @property
    def failing(self) -> bool:
        """Whether the last write failed less than a minute ago, for example on a full disk."""
        return self._live.store.failing

    def backup(self, path: Place) -> None:
        """Copy the campaign as it is now; it can be in use.

        Parameters
        ----------
        path : str or path
            A new file. It is portable if its name ends in `.jsonl.gz`, as it must for PostgreSQL.

        Raises
        ------
        StoreError
            The file exists already, or cannot be written.
        """
        self._live.store.backup(path)

    def conflicts(self) -> list[ToSettle]:
        """Return the conflicts that a lead has to settle, the oldest first.

        Returns
        -------
        list of ToSettle
            Each conflict with its item, and the doubts of annotators.
        """
        with self.lock:
            return views.conflicts(self.state)

    def doubtful(self, n: int = 20, *, at_least: float = 0.0) -> list[Doubtful]:
        """Return the n answers that are most probably wrong, the worst first, with the evidence.

        Labels that a lead decided, and their consequences, are left out.

        Parameters
        ----------
        n : int
            The largest number of answers.
        at_least : float
            The least probability of being wrong.

        Returns
        -------
        list of Doubtful
            The answers, each with the answers that disagree.

        Raises
        ------
        CorollaryError
            The setting `fallible` is off, so that answers count as the truth.
        """
        with self.lock:
            hearing = hearing_of(self.state)
        found = hearing.doubtful(n, at_least=at_least, settled=False)
        with self.lock:
            return doubtful(self.state, found)

    def blamed(self, item: str, conflict: Conflict) -> Doubtful | None:
        """Return the answer in a conflict that is most probably wrong.

        Parameters
        ----------
        item : str
            The id of the item.
        conflict : Conflict
            A conflict of this item, see `conflicts`.

        Returns
        -------
        Doubtful or None
            The answer; None without the setting `fallible`, or if it has no answer of a person.
        """
        with self.lock:
            return blamed(self.state, item, conflict)

    def weighed(self) -> Weighed | None:
        """Return the reliability of people and the expected number of wrong labels.

        Returns
        -------
        Weighed or None
            Both figures, and the number of known labels; None without the setting `fallible`.
        """
        with self.lock:
            find = weighed(self.state)
        return None if find is None else find()

    def marked(self) -> list[Event]:
        """Return the flags and doubts that wait for a lead.

        Returns
        -------
        list of Event
            The events, the oldest item first.
        """
        with self.lock:
            return views.marked(self.state)

    def withdrawn(self) -> list[Event]:
        """Return the withdrawals in effect.

        Returns
        -------
        list of Event
            The events, the oldest item first.
        """
        with self.lock:
            return views.withdrawals(self.state)

    def puzzling(self) -> list[tuple[str, str | None]]:
        """Return the questions that nobody is asked any more, because too many could not tell.

        Returns
        -------
        list of (str, str or None)
            The item and the label of each; a label of None is the whole item.
        """
        with self.lock:
            return self.state.waiting.puzzling.cells()

    def labels(self) -> list[dict[str, Any]]:
        """Return the figures of each label.

        Returns
        -------
        list of dict
            The "label", and the number of items with "yes", "no" and "open". "asked_yes" and
            "asked_no" count answers of people, "accepted" counts accepted predictions.
        """
        with self.lock:
            count = self.labels_now()
        return count()

    def people(self) -> list[dict[str, Any]]:
        """Return the people in order of name, with their figures.

        Returns
        -------
        list of dict
            As in `members_now`, with the number of "answers" by kind and the median "seconds".
        """
        with self.lock:
            count = self.people_now()
        return count()

    def labels_now(self) -> Callable[[], list[dict[str, Any]]]:
        """Return a function that counts the current figures of each label; it needs no lock.

        Call `labels_now` itself under the lock.

        Returns
        -------
        callable
            Returns a list as `labels` does.
        """
        state = self.state
        accepted = [state.standing_of(item) for item in state.accepted]
        return partial(
            views.labels, state.onto, state.session.answers, state.facts[state.in_use()], accepted
        )

    def people_now(self) -> Callable[[], list[dict[str, Any]]]:
        """Return a function that counts the current figures of people; it needs no lock.

        Call `people_now` itself under the lock.

        Returns
        -------
        callable
            Returns a list as `people` does.
        """
        state = self.state
        taken_back = frozenset(self.state.taken_back)
        members = self.members_now()
        own = {
            one["name"]: tuple(
                e for e in state.of_person.get(one["name"], ()) if e.item not in state.withdrawn
            )
            for one in members
        }
        return lambda: [one | views.figures_of(own[one["name"]], taken_back) for one in members]

    def members_now(self) -> list[dict[str, Any]]:
        """Return the people in order of name, with role, leases and gold results; needs the lock.

        Returns
        -------
        list of dict
            "name", "role", "state", "holds", "gold_right", "gold_wrong", "paused", "paused_since".
        """
        state = self.state
        gold = views.gold_so_far(self.state)
        return [
            {
                "name": one.name,
                "role": one.role,
                "state": one.state,
                "holds": len(self._live.leases.of(one.name)),
            }
            | views.situation_of(state, one.name, gold)
            for one in self._people.all()
        ]

    def person(self, name: str) -> Annotator:
        """Return a person by name.

        Parameters
        ----------
        name : str
            The name of the person.

        Returns
        -------
        Annotator
            The person.

        Raises
        ------
        CorollaryError
            Nobody has this name.
        """
        return self._people.get(name)

    def witnesses(self) -> list[Witness]:
        """Return the machines with reports in effect, and their reliability by the current model.

        Returns
        -------
        list of Witness
            The machines, in order of their first report.
        """
        with self.lock:
            return witnesses(self.state)

    def unheard(self, witness: str) -> list[Item]:
        """Return items not fully labelled and without a report of this machine.

        Parameters
        ----------
        witness : str
            The name of the machine.

        Returns
        -------
        list of Item
            The items, the least sure first; before the first model in their order.
        """
        return [self._live.items[item] for item in unheard(self._live, witness)]

    def leases(self) -> list[Lease]:
        """Return all current leases.

        Returns
        -------
        list of Lease
            The leases, the oldest first.
        """
        with self.lock:
            self._live.let_go()
            return self._live.leases.all()

    def progress(self) -> dict[str, Any]:
        """Return the current figures: counts, the model, and everything that waits for the lead.

        Returns
        -------
        dict
            The figures by name, for JSON.
        """
        with self.lock:
            state = self.state
            if not self._live.readonly:
                self._live.take_up()
            return {
                **state.counts(),
                "labels": len(state.onto),
                "conflicts": sum(len(state.standing_of(item).conflicts) for item in state.held),
                "marked": len(state.marked),
                "improbable": improbable(state),
                "withdrawn": len(state.withdrawn),
                "puzzling": len(state.waiting.puzzling),
                "second_opinions_due": len(state.waiting.second),
                "leases": len(self._live.leases),
                "people": sum(one.state == ACTIVE for one in self._people.all()),
                "paused": None in state.paused,
                "paused_since": state.paused.get(None),
                "ontology": state.version,
                "model": 0 if state.model is None else state.model.value,
                "training": {**self._live.models.status, "took": views.training_seconds(state)},
                "seq": state.seq,
            }

    def situation(self, who: str) -> dict[str, Any]:
        """Return whether a person is asking, waiting, finished or paused, or the campaign is empty.

        Parameters
        ----------
        who : str
            The name of the person.

        Returns
        -------
        dict
            The "state", and the questions that were "skipped" or are "with_others".
        """
        with self.lock:
            return views.situation(self.state, who, self._live.leases.all())

    def verify(
        self,
        *,
        step_by_step: bool = False,
        train: bool = True,
        tell: Callable[[str], object] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> list[str]:
        """Derive everything again from the log, including the last model, and compare.

        Parameters
        ----------
        step_by_step : bool
            Apply the events one by one, as they came. It takes longer.
        train : bool
            Train the last model again. If false, compare its kept beliefs with the log, and train
            only if they are lost.
        tell : callable, optional
            Called with notes that are no differences, for example that another machine rounds a
            model differently.
        progress : callable, optional
            With `step_by_step`, called with the number of events done, and of all events.

        Returns
        -------
        list of str
            The differences; empty if all is well.
        """
        with self.lock:
            self._ledger.flush()
            return verify(
                self._live, step_by_step=step_by_step, train=train, tell=tell, progress=progress
            )
