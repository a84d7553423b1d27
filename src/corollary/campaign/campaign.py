"""A campaign: a session whose answers live in a durable log; safe to use from many threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..learning.argument_checks import check_onto
from ..logic.ontology import Ontology
from .events import DOUBT, GOLD, PAUSE, RESUME, UNFLAG, Event
from .items import Item, Thing, as_items, check_alike
from .labels.written_ontology import places_of, with_ids
from .live import answering, drafts, leading, reporting
from .live.answering import Answer
from .live.drafts import Fact
from .live.leading import GroupReply, Progress
from .live.ledger import Pending
from .live.live import Live
from .live.next_question import HeldQuestion
from .live.ontology_update import Seen, Update, parse_ontology, plan, preview
from .live.replies import Preview, Reply, Undone
from .live.reporting import Said
from .live.sure import accepting
from .live.sure.accepting import SureThings
from .live.sure.audits import Audit
from .live.sure.under_way import UnderWay
from .people import LINK_SECONDS
from .reading.reading import CampaignReading
from .settings import AUTO, Settings
from .state.state import State
from .storage.holding import Closing
from .storage.records import ANNOTATOR, LEAD, Annotator, Lease
from .storage.store import Place, Store
from .training.item_reading import auto_encoder
from .vectors import SameVectors

if TYPE_CHECKING:
    from ..learning.learners.scikit_learn.consistent import ConsistentClassifier


class Campaign(CampaignReading, Closing):
    """Items, an ontology, people, and what they said.

    Every write is checked and applied in memory under a lock, handed to the store, and acknowledged once it is on
    disk. If that fails the caller gets the error, and everything is read again from the store before anybody gets it.
    """

    def __init__(
        self, store: Store, *, clock: Callable[[], float] = time.time, readonly: bool = False
    ):
        try:
            super().__init__(Live(store, clock=clock, readonly=readonly))
        except BaseException:
            store.close()
            raise

    @classmethod
    def create(
        cls,
        url: Place,
        items: Iterable[Thing],
        onto: Ontology,
        *,
        name: str,
        about: str = "",
        settings: Mapping[str, Any] | None = None,
        lead: str = "lead",
        facts: Iterable[Fact] = (),
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a campaign at a path or an address, all of it or nothing, and open it.

        Items may be texts, dicts with an "id" and perhaps a "text", or `Item`s; `facts` are labels of these that are
        known already. With the setting "encoder" a campaign reads: "auto" is what is installed, see `Settings`.
        """
        text = str(check_onto(onto))
        parse_ontology(text)
        known = list(facts)
        things = as_items(items)
        events = list[Event]()
        wanted = dict(settings or {})
        if wanted.get("encoder") == AUTO:
            brought = list(things)
            wanted["encoder"] = auto_encoder(brought)
            things = iter(brought)
        start = Settings().changed(wanted)
        start = start.changed({"labels": with_ids(start.labels, onto)})
        if known:
            brought = list(things)
            events = drafts.draft_facts(known, {item.id for item in brought}, onto)
            things = iter(brought)
        store = Store.create(
            url,
            name=name,
            about=about,
            ontology_text=text,
            places=places_of(onto),
            items=check_alike(things, SameVectors()),
            settings=start.model_dump(),
            annotators=[Annotator(name=lead, role=LEAD)],
            events=events,
            who=lead,
        )
        return cls(store, clock=clock)

    @classmethod
    def open(
        cls, url: Place, *, readonly: bool = False, clock: Callable[[], float] = time.time
    ) -> Self:
        """Open a campaign; for writing only one process can."""
        return cls(Store.open(url, readonly=readonly), clock=clock, readonly=readonly)

    def close(self) -> None:
        """Write what waits and let go of the campaign; closing twice is fine."""
        self._live.close()

    # -- asking and answering ----------------------------------------------------------------------------------------

    def next(self, who: str, n: int = 1, *, options: int | None = None) -> list[HeldQuestion]:
        """The next n questions for someone, held for them: those they hold already, then further ones.

        With `options` a pick has only so many, the likeliest; `Campaign.options` finds the others.
        """
        with self._ledger.lock:
            self._people.check(who)
            self._live.let_go()
            self._live.take_up()
            rests = self.state.paused_since(who) or self.trouble is not None
            asked = [] if rests else self._live.hand_out(who, n)
            return [one.with_likeliest(options, self._live.places.parents) for one in asked]

    def answer(
        self,
        who: str,
        item: str,
        label: str | None,
        value: Any,
        *,
        key: str | None = None,
        seconds: float | None = None,
        lease: str | None = None,
    ) -> Reply:
        """Take an answer: True, False, "cant_tell" or "skip"; for a whole item (no label) the list of its labels."""
        return self.take_answer(
            who, item, label, value, key=key, seconds=seconds, lease=lease
        ).wait()

    def take_answer(self, *said: Any, **how: Any) -> Pending[Reply]:
        """As `answer`, for those who have other things to do until it is safe on disk: the reply comes at once."""
        return answering.take_answer(self._live, Answer(*said, **how))

    def undo(self, who: str, seq: int | None = None, *, key: str | None = None) -> Undone:
        """Take back one's last answer or flag, or an event by its number; a lead may take back anybody's."""
        return answering.undo(self._live, who, seq, key)

    def flag(
        self, who: str, item: str, label: str | None = None, *, reason: str, note: str = "", rule: str | None = None,
        key: str | None = None,
    ) -> Event:  # fmt: skip
        """Tell the lead that something is wrong with an item; its flagger is no longer asked about it."""
        detail = {"reason": reason, "note": note, "rule": rule}
        return answering.flag(self._live, who, item, label, detail, key)

    def doubt(
        self,
        who: str,
        seq: int,
        *,
        rules: Sequence[str] = (),
        note: str = "",
        key: str | None = None,
    ) -> Event:
        """Tell the lead of a contradiction that one's own answer is part of."""
        return self._say(
            (DOUBT, who), key, lambda state: drafts.draft_doubt(state, who, seq, rules, note)
        )

    # -- what a lead does --------------------------------------------------------------------------------------------

    def unflag(self, who: str, seq: int, *, key: str | None = None) -> Event:
        """End a flag or a doubt."""
        return self._say(
            (UNFLAG, who), key, lambda state: drafts.draft_unflag(state, who, seq), lead=True
        )

    def decide(
        self, who: str, item: str, label: str, value: bool, *, reject: Sequence[int] = (), note: str = "",
        key: str | None = None,
    ) -> Reply:  # fmt: skip
        """Settle a cell, whatever was answered; `reject` are answers that shall no longer stand."""
        return leading.decide(
            self._live, who, item, label, value, reject=reject, note=note, key=key
        )

    def answer_all(
        self,
        who: str,
        items: Iterable[str],
        label: str,
        value: bool | str,
        *,
        key: str | None = None,
    ) -> GroupReply:
        """Answer a label of many items alike, all or none; `undo_all` takes the lot back."""
        return leading.answer_all(self._live, who, items, label, value, key)

    def undo_all(
        self, who: str, group: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:  # fmt: skip
        """Take back all that stands of a group of answers, with what followed from them.

        It is done in batches. `progress` is called with how many events are done, and of how many.
        """
        return leading.undo_all(self._live, who, group, key, progress)

    def undo_some(self, who: str, group: str, *, key: str) -> GroupReply:
        """Take back the next batch of a group; while something is `left`, repeat it with the same key."""
        return leading.undo_some(self._live, who, group, key)

    def sure(
        self, who: str, at_least: float = 0.99, *, most_wrong: float | None = None
    ) -> SureThings:
        """How much the model predicts with at least a probability, what an audit takes, how the last went.

        Where one label holds for each item, whole items count: the probability is that of the item's most probable
        labelling. Elsewhere cells count. `most_wrong` is the share of them that may be wrong, 1 - `at_least` if None.
        """
        return accepting.look(self._live, who, at_least, most_wrong)

    def audit(
        self, who: str, at_least: float = 0.99, n: int | None = None, *, most_wrong: float | None = None,
        key: str | None = None,
    ) -> Audit:  # fmt: skip
        """Sample n of these items, or cells, at random, as few as can do unless given; answer them as any others.

        The audit passes if at most `most_wrong` of all can be wrong, at 95 %. Trainings wait for it, a day at most.
        """
        return accepting.audit(self._live, who, at_least, n, most_wrong, key)

    def last_audit(self, who: str) -> Audit | None:
        """How the last audit stands; None if there is none. A lead's."""
        return accepting.last_audit(self._live, who)[0]

    def accepting(self, who: str) -> UnderWay | None:
        """An acceptance that is not finished; its group is the key to go on with. A lead's."""
        return accepting.last_audit(self._live, who)[1]

    def accept(
        self, who: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:
        """Accept all that the last audit confirmed; `undo_all` takes the lot back.

        It is done in batches; whoever repeats the key goes on with it, also after a crash. `progress` is called with
        how many items are done, and of how many.
        """
        return accepting.accept(self._live, who, key, progress)

    def accept_some(self, who: str, *, key: str) -> GroupReply:
        """Accept the next batch; while something is `left`, repeat it with the same key."""
        return accepting.accept_some(self._live, who, key)

    def gold(
        self, who: str, item: str, label: str, value: bool, *, key: str | None = None
    ) -> Event:
        """Make a cell a gold question: its answer is known, and people may be asked it as if it were not."""
        return self._say(
            (GOLD, who),
            key,
            lambda state: drafts.draft_gold(state, who, item, label, value),
            lead=True,
        )

    def withdraw(self, ids: str | Iterable[str], *, who: str, reason: str = "") -> list[Event]:
        """Take items out of the campaign, all or none, without losing what was said of them.

        They are not asked, learnt from, counted or exported until the withdrawal is undone. Items that were withdrawn
        before stay so; the events tell of the others, each to be taken back with `undo`, or all with `bring_back`.
        """
        return leading.put_all(
            self._live,
            who,
            lambda state: drafts.draft_withdrawals(state, who, _listed(ids), reason),
        )

    def bring_back(self, ids: str | Iterable[str], *, who: str) -> list[Event]:
        """Undo the withdrawal of items, all or none; the events tell of those that were withdrawn."""
        return leading.put_all(
            self._live, who, lambda state: drafts.draft_returns(state, who, _listed(ids))
        )

    def preview_ontology(self, text: str) -> Preview:
        """What another ontology would settle, reopen or break; nothing changes."""
        onto = parse_ontology(text)
        with self._ledger.lock:
            return preview(self.state, onto)

    def change_ontology(self, who: str, text: str, *, key: str | None = None) -> Event:
        """Put another ontology in force; refused where decisions would clash."""
        return leading.change_ontology(self._live, who, text, key)

    def preview_update(
        self, release: Ontology | str | PathLike[str], *, follow: Mapping[str, str] | None = None
    ) -> Update:
        """Show what a new release of the ontology would do; nothing changes.

        Parameters
        ----------
        release
            A file, or an ontology.
        follow
            Labels in force and labels of the release that mean the same: answers follow.

        Returns
        -------
        Update
            The changes of labels, and each answer that would go out of effect.
        """
        new = _release(release)
        with self._ledger.lock:
            return plan(self.state, new, follow)

    def update(
        self,
        who: str,
        release: Ontology | str | PathLike[str],
        *,
        follow: Mapping[str, str] | None = None,
        key: str | None = None,
        file: str | None = None,
        seen: tuple[int, int] | None = None,
    ) -> Event:
        """Put a new release of the ontology in force; `undo` with the number of the event takes it back.

        Answers follow terms that were renamed, merged or replaced. See `preview_update`.

        Parameters
        ----------
        who
            The lead.
        release
            A file, or an ontology.
        follow
            Labels in force and labels of the release that mean the same: answers follow.
        key
            A repeated call with the same key changes nothing.
        file
            The name of the file for the log; by default that of `release`.
        seen
            `version` and the length of `out_of_effect` of a preview. An update that does more is refused.

        Raises
        ------
        CorollaryError
            If decisions of a lead would clash under the release, or if it does more than the preview said.
        """
        if file is None:
            file = "" if isinstance(release, Ontology) else Path(release).name
        return leading.update_ontology(
            self._live,
            who,
            _release(release),
            follow or {},
            file,
            key,
            None if seen is None else Seen(*seen),
        )

    def change_settings(
        self, who: str, changes: Mapping[str, Any], *, key: str | None = None
    ) -> Settings:
        """Change some settings."""
        leading.change_settings(self._live, who, changes, key)
        return self.settings

    def add(self, who: str, items: Iterable[Item] = (), facts: Iterable[Fact] = ()) -> int:
        """Add items, and labels that are known already, all or nothing; how many events tell of it."""
        return leading.add(self._live, who, items, facts)

    def report(
        self, who: str, witness: str, reports: Iterable[Said], *, key: str | None = None, kind: str = ""
    ) -> Event:  # fmt: skip
        """Take what a machine says of cells: (item, label, probability) each, all or nothing.

        It counts by how far it proves right, and is never a fact. Of a cell of which it spoke before the new report
        counts. The next model, which is trained at once, weighs it. `kind` notes where it comes from.
        """
        return reporting.report(self._live, who, witness, reports, key=key, kind=kind)

    def remove_witness(self, who: str, witness: str) -> list[Event]:
        """Take back all that a machine reported; the log keeps it. `undo` takes back a single report."""
        return reporting.remove(self._live, who, witness)

    def pause(self, name: str | None = None, *, who: str) -> Event:
        """Ask someone, or everybody, nothing for now."""
        return self._say(
            (PAUSE, who),
            None,
            lambda _: Event(kind=PAUSE, who=who, value=self._named(name)),
            lead=True,
        )

    def resume(self, name: str | None = None, *, who: str) -> Event:
        """Go on asking someone, or everybody."""
        return self._say(
            (RESUME, who),
            None,
            lambda _: Event(kind=RESUME, who=who, value=self._named(name)),
            lead=True,
        )

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """A token for someone, to be shown once."""
        reporting.check_person(self._live, name)
        return self._people.invite(name, role)

    def invite_by_link(
        self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS
    ) -> str:
        """The secret of a link for someone, to be shown once; `join` exchanges it for a token, once and in time."""
        reporting.check_person(self._live, name)
        return self._people.link(name, role, seconds=seconds)

    def join(self, link: str) -> str | None:
        """A token for the secret of a link, for 90 days; None where that does not work, or no longer."""
        return self._people.join(link)

    def sign_out(self, token: str) -> None:
        """End a token that came from a link; that of a program stays."""
        self._people.sign_out(token)

    def linked(self, link: str) -> Annotator | None:
        """Who is invited by a link."""
        return self._people.linked(link)

    def revoke(self, name: str) -> None:
        """Let someone no longer take part; what they said stands, what they hold is free."""
        self._people.revoke(name)
        with self._ledger.lock:
            for lease in self._live.leases.of(name):
                self._live.release(lease)

    def annotators(self) -> list[Annotator]:
        """Everyone, in order of name; at once, as `authenticate`: check `in_step` where it matters."""
        return self._live.people.all()

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Keep the hash of someone's password."""
        self._people.set_password(name, password_hash)

    def authenticate(self, token: str) -> Annotator | None:
        """Whose token this is."""
        return self._live.people.authenticate(token)

    def retrain(self, *, wait: bool = False) -> dict[str, object]:
        """Train a model on all that is known now; with `wait` until it decides. How training stands."""
        if wait:
            self._finish_training()
        with self._ledger.lock:
            self._live.take_up()
            self._live.train()
        if wait:
            self._finish_training()
        return self._live.models.status

    def classifier(self) -> ConsistentClassifier:
        """Fit a classifier to all known labels, for items that the campaign does not have.

        It has the learner of the campaign, and takes items as the campaign has them: vectors,
        texts, or a table with the column `text` and the fields of the items.

        Returns
        -------
        ConsistentClassifier
            A fitted estimator of scikit-learn, which can be saved with joblib.

        Raises
        ------
        CorollaryError
            If nothing is known yet, or the items are pictures.
        """
        from .training.classifier import fitted_classifier

        with self._ledger.lock:
            rows = self.state.in_use()
            facts = self.state.facts[rows]
            onto = self.state.onto
            settings = self.settings
            items = self._live.items_to_learn()
        return fitted_classifier([items[i] for i in rows.tolist()], facts, onto, settings)

    def take_up(self) -> bool:
        """Let a training that is done decide from now on; whether there was one.

        Questions, answers and progress do so by themselves; whoever serves a campaign does when nobody asks.
        """
        if not self.state.session.done:
            return False
        with self._ledger.lock:
            self._live.take_up()
        return True

    def keep_hook_place(self, name: str, seq: int) -> None:
        """Keep the last event that a webhook was told."""
        self._live.store.put_hook_place(name, seq)

    def _finish_training(self) -> None:
        self.state.session.finish()  # not under the lock: people go on answering
        with self._ledger.lock:
            self._live.take_up()

    # -- leases ------------------------------------------------------------------------------------------------------

    def renew(self, who: str, leases: Sequence[str]) -> list[Lease]:
        """Hold some questions for longer; those that are gone are left out."""
        with self._ledger.lock:
            self._live.let_go()
            renewed = self._live.leases.renew(who, leases, self.settings.lease_seconds)
            self._live.store.mirror_leases(renewed)
            return renewed

    def release(self, who: str, leases: Sequence[str]) -> int:
        """Give questions back without an answer; how many."""
        with self._ledger.lock:
            mine = [lease for lease in self._live.leases.of(who) if lease.id in leases]
            for lease in mine:
                self._live.release(lease)
            return len(mine)

    def _say(
        self,
        about: tuple[str, str],
        key: str | None,
        draft: Callable[[State], Event],
        *,
        lead: bool = False,
    ) -> Event:
        return answering.say(self._live, about, key, draft, lead=lead)

    def _named(self, name: str | None) -> str | None:
        return None if name is None else self._people.get(name).name


def _release(release: Ontology | str | PathLike[str]) -> Ontology:
    return release if isinstance(release, Ontology) else Ontology.load(release)


def _listed(ids: str | Iterable[str]) -> list[str]:
    return [ids] if isinstance(ids, str) else list(ids)
