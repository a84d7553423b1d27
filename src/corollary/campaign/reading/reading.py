"""The reading side of a campaign: what people and leads look up, each answer taken at one moment."""

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
from .doubtful import Doubtful, Weighed, blamed, doubtful, heard, improbable, weighed
from .item_list import ItemList, Page, Wanted
from .option_search import Found, find_options
from .probabilities import unheard
from .verification import verify


class CampaignReading:
    """A campaign to look things up in."""

    def __init__(self, live: Live):
        self._live = live
        self._ledger = live.ledger
        self._item_list = ItemList(live)

    @property
    def in_step(self) -> bool:
        """Whether memory is what is stored, as far as is known; at once. If not, `keep_up` reads it again."""
        return self._ledger.in_step

    def keep_up(self) -> None:
        """See to it that memory is what is stored, or raise StoreError; may take a while."""
        self._ledger.keep_up()

    @property
    def _people(self) -> People:
        return self._live.members

    @property
    def state(self) -> State:
        """What follows from the log; read it under `lock`."""
        return self._ledger.state

    @property
    def trouble(self) -> Trouble | None:
        """Why the campaign is read only: an event that this version cannot apply; None as a rule."""
        return self.state.trouble

    @property
    def lock(self) -> RLock:
        """The lock under which the state changes."""
        return self._ledger.lock

    @property
    def name(self) -> str:
        """What the campaign is called."""
        return self._live.store.name

    @property
    def about(self) -> str:
        """What the campaign is for."""
        return self._live.store.about

    @property
    def made_at(self) -> str:
        """When the campaign was made, UTC."""
        return self._live.store.made_at

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.state.settings

    @property
    def names(self) -> Mapping[str, str]:
        """What people read of each label; an entry of the setting `labels` may name one."""
        return self.state.names

    def stored_events(self, after: int) -> Iterator[Event]:
        """The events on disk after a place, in order; not under the lock."""
        return self._live.store.events(after)

    def hook_place(self, name: str) -> int | None:
        """The last event that a webhook was told; None where it was told nothing yet."""
        return self._live.store.hook_place(name)

    def history(
        self, who: str, limit: int = 50, before: int | None = None
    ) -> list[views.Remembered]:
        """What someone said, the last first; `before` goes on from an event on."""
        with self.lock:
            return views.history(self.state, who, limit, before)

    def explain(self, item: str, label: str, *, who: str | None = None) -> Why:
        """Why a cell is what it is, and who said what it follows from; with `who` as far as they may see it."""
        with self.lock:
            return views.explain(self.state, item, label, self._seen(who, item))

    def item(self, id: str, *, who: str | None = None) -> views.ItemView:
        """An item, what is known of it (with `who` as far as they may see it), and all that was said."""
        with self.lock:
            self.state.row(id)
            return views.item_view(self.state, self._live.items[id], self._seen(who, id))

    def probable(self, id: str) -> dict[str, float]:
        """How probable a yes is for each label of an item that is open; nothing before the first model."""
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
        """Items in their order whose id or text has the query in it; `after` goes on from an item on."""
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
        """Items as a lead looks through them: searched, filtered and sorted, with what is known and predicted."""
        return self._item_list.page(wanted or Wanted(), offset=offset, limit=limit)

    def list_ids(self, wanted: Wanted | None = None, *, most: int = MOST) -> list[str]:
        """All items that fit, as many as can be answered at once; an error where there are more."""
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
        """What can be picked of an item, some at a time; for `who` as far as they may see it.

        The likeliest, those with the letters of `query` in a name, or those right under a label; with an empty one
        those with nothing open above them.
        """
        return find_options(
            self._live, item, who, query=query, under=under, offset=offset, limit=limit
        )

    def vectors(self) -> SameVectors:
        """What vectors further items must have, to be like those that are there."""
        with self.lock:
            return self._live.vectors()

    def picture(self, id: str) -> Picture | None:
        """The picture of an item, with its bytes."""
        found = self._live.store.item(id)
        return None if found is None else found.image

    @property
    def ontology_text(self) -> str:
        """The ontology in force, in the notation."""
        return next(
            one.text for one in self._live.store.ontologies() if one.version == self.state.version
        )

    def ontology_versions(self) -> list[OntologyVersion]:
        """All texts of the ontology that were kept, the oldest first, with who wrote each and when."""
        return self._live.store.ontologies()

    def stored(self) -> int:
        """The place of the last event, once memory was compared with the store: StoreError where they differ.

        What differs is read again, so that it heals by itself. Not to be called under the lock.
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
        """Whether the last write failed, less than a minute ago, as on a full disk."""
        return self._live.store.failing

    def backup(self, path: Place) -> None:
        """Copy the campaign as it is now, while it is in use."""
        self._live.store.backup(path)

    def conflicts(self) -> list[ToSettle]:
        """What a lead has to settle, the oldest first."""
        with self.lock:
            return views.conflicts(self.state)

    def doubtful(self, n: int = 20, *, at_least: float = 0.0) -> list[Doubtful]:
        """The n answers that are most probably wrong, the worst first, with what speaks against each.

        What a lead decided, and what that settles, is none of them. Only where the setting `fallible` is on:
        elsewhere answers are the truth.
        """
        with self.lock:
            hearing = heard(self.state)
        found = hearing.doubtful(n, at_least=at_least, settled=False)
        with self.lock:
            return doubtful(self.state, found)

    def blamed(self, item: str, conflict: Conflict) -> Doubtful | None:
        """Of answers that cannot all be true the one that is most probably wrong; None without `fallible`."""
        with self.lock:
            return blamed(self.state, item, conflict)

    def weighed(self) -> Weighed | None:
        """How far people can be trusted, how many known labels are probably wrong; None without `fallible`."""
        with self.lock:
            find = weighed(self.state)
        return None if find is None else find()

    def marked(self) -> list[Event]:
        """Flags and doubts that wait for a lead."""
        with self.lock:
            return views.marked(self.state)

    def withdrawn(self) -> list[Event]:
        """Withdrawals that stand, the oldest item first."""
        with self.lock:
            return views.withdrawals(self.state)

    def puzzling(self) -> list[tuple[str, str | None]]:
        """Questions that nobody is asked any more because too many could not tell."""
        with self.lock:
            return self.state.waiting.puzzling.cells()

    def labels(self) -> list[dict[str, Any]]:
        """Figures for each label."""
        with self.lock:
            count = self.labels_now()
        return count()

    def people(self) -> list[dict[str, Any]]:
        """Who takes part, in order of name, and what they did."""
        with self.lock:
            count = self.people_now()
        return count()

    def labels_now(self) -> Callable[[], list[dict[str, Any]]]:
        """What counts the figures for each label as they are now, and may do so later, without the lock."""
        state = self.state
        accepted = [state.standing_of(item) for item in state.accepted]
        return partial(
            views.labels, state.onto, state.session.answers, state.facts[state.in_use()], accepted
        )

    def people_now(self) -> Callable[[], list[dict[str, Any]]]:
        """The same for the people."""
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
        """Who takes part, in order of name, and how it stands with them; under the lock."""
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
        """Someone by name."""
        return self._people.get(name)

    def witnesses(self) -> list[Witness]:
        """The machines that reported something that stands, and how far the model in use trusts them."""
        with self.lock:
            return witnesses(self.state)

    def unheard(self, witness: str) -> list[Item]:
        """Items that are not labelled in full and of which a machine has not spoken; the least sure first."""
        return [self._live.items[item] for item in unheard(self._live, witness)]

    def leases(self) -> list[Lease]:
        """Who holds what."""
        with self.lock:
            self._live.let_go()
            return self._live.leases.all()

    def progress(self) -> dict[str, Any]:
        """The figures of the campaign now: counts, the model, what waits for the lead."""
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
        """Whether someone is asking, waiting (for what), finished, paused, or there is nothing to ask (empty)."""
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
        """Build everything anew from the log, the last model too, and compare; what differs, nothing if all is well.

        With `step_by_step` the events are taken one by one, as they came, which takes longer; `progress` is then told
        how many are done, and of how many. Without `train` the beliefs that were kept are compared with the log, and
        the model is trained again only where they are gone. `tell` is told what is no difference but worth knowing: a
        model that another kind of machine rounds otherwise.
        """
        with self.lock:
            self._ledger.flush()
            return verify(
                self._live, step_by_step=step_by_step, train=train, tell=tell, progress=progress
            )
