"""A campaign: a labelling project with a durable log of answers; safe to use from many threads."""

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
    """A labelling project: items, an ontology, people and their answers.

    Every write is checked and applied in memory under a lock, and acknowledged once it is on disk. If
    that fails, the caller gets the error, and everything is read again from the store.

    Parameters
    ----------
    store
        The database with the log.
    clock
        The function that returns the time, in seconds since 1970.
    readonly
        Whether nothing may be written.

    See Also
    --------
    Campaign.create : make a campaign.
    Campaign.open : open a campaign.
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
        """Make a campaign, completely or not at all, and open it.

        Parameters
        ----------
        url
            A path for SQLite, or an address of PostgreSQL.
        items
            Texts, dicts with an "id" and perhaps a "text", or `Item`s.
        onto
            The ontology.
        name, about
            The name and the description of the campaign.
        settings
            Settings that differ from their defaults, see `Settings`. With "encoder", the campaign
            reads texts; "auto" chooses the best one installed.
        lead
            The name of the first lead.
        facts
            Known labels of the items: item, label, yes or no.
        clock
            The time of day, for leases.

        Returns
        -------
        Campaign
            The open campaign.

        Raises
        ------
        CorollaryError
            The items, facts or settings are wrong, or the place is taken.
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
        """Open a campaign; only one process can open it for writing.

        Parameters
        ----------
        url
            A path for SQLite, or an address of PostgreSQL.
        readonly
            Open it for reading only, also while another process writes.
        clock
            The time of day, for leases.

        Raises
        ------
        StoreError
            There is no campaign, or another process has it open for writing.
        """
        return cls(Store.open(url, readonly=readonly), clock=clock, readonly=readonly)

    def close(self) -> None:
        """Write what waits and close the campaign; closing twice is fine."""
        self._live.close()

    # -- asking and answering ----------------------------------------------------------------------------------------

    def next(self, who: str, n: int = 1, *, options: int | None = None) -> list[HeldQuestion]:
        """Return the next n questions for a person, and hold them for this person.

        Parameters
        ----------
        who
            The name of the person.
        n
            The number of questions, including those that the person holds already.
        options
            The most options of a pick, the most probable ones; `Campaign.options` finds the others.

        Returns
        -------
        list of HeldQuestion
            The questions; fewer than n if there are no more.
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
        """Write an answer and return its effect, once it is on disk.

        Parameters
        ----------
        who, item, label
            The person, the item and the label; None is the whole item.
        value
            True, False, "cant_tell" or "skip"; for a whole item a list of its labels.
        key
            A repeated call with the same key changes nothing.
        seconds
            The time that the answer took.
        lease
            The id of the question that it answers.

        Returns
        -------
        Reply
            The labels that it settled, and its conflict if there is one.

        Raises
        ------
        CorollaryError
            The item or label is unknown, or the answer contradicts itself.
        """
        return self.take_answer(
            who, item, label, value, key=key, seconds=seconds, lease=lease
        ).wait()

    def take_answer(self, *said: Any, **how: Any) -> Pending[Reply]:
        """Write an answer without waiting for the disk; `wait` on the result returns the reply.

        Arguments are as in `answer`.
        """
        return answering.take_answer(self._live, Answer(*said, **how))

    def undo(self, who: str, seq: int | None = None, *, key: str | None = None) -> Undone:
        """Take back the person's last answer or flag, or event `seq`; a lead may take back anybody's."""
        return answering.undo(self._live, who, seq, key)

    def flag(
        self, who: str, item: str, label: str | None = None, *, reason: str, note: str = "", rule: str | None = None,
        key: str | None = None,
    ) -> Event:  # fmt: skip
        """Flag an item for the lead; its flagger is no longer asked about it."""
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
        """Report a contradiction to the lead that the person's own answer `seq` is part of."""
        return self._say(
            (DOUBT, who), key, lambda state: drafts.draft_doubt(state, who, seq, rules, note)
        )

    # -- actions of a lead -------------------------------------------------------------------------

    def unflag(self, who: str, seq: int, *, key: str | None = None) -> Event:
        """End a flag or a doubt."""
        return self._say(
            (UNFLAG, who), key, lambda state: drafts.draft_unflag(state, who, seq), lead=True
        )

    def decide(
        self, who: str, item: str, label: str, value: bool, *, reject: Sequence[int] = (), note: str = "",
        key: str | None = None,
    ) -> Reply:  # fmt: skip
        """Decide a label of an item, whatever people answered; the answers `reject` no longer count."""
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
        """Give the same answer about a label for many items, all or none; `undo_all` takes all back."""
        return leading.answer_all(self._live, who, items, label, value, key)

    def undo_all(
        self, who: str, group: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:  # fmt: skip
        """Take back all events of a group that are still in effect, in batches.

        `progress` is called with the number of events done, and of all events.
        """
        return leading.undo_all(self._live, who, group, key, progress)

    def undo_some(self, who: str, group: str, *, key: str) -> GroupReply:
        """Take back the next batch of a group; repeat with the same key while `left` is not 0."""
        return leading.undo_some(self._live, who, group, key)

    def sure(
        self, who: str, at_least: float = 0.99, *, most_wrong: float | None = None
    ) -> SureThings:
        """Return the sure predictions, the size of an audit of them, and the last audit.

        If each item has one label, whole items are counted, with the probability of their most
        probable labelling. Else cells are counted, each a label of an item.

        Parameters
        ----------
        who
            A lead.
        at_least
            The least probability of a sure prediction.
        most_wrong
            The share of them that may be wrong; by default 1 - `at_least`.
        """
        return accepting.look(self._live, who, at_least, most_wrong)

    def audit(
        self, who: str, at_least: float = 0.99, n: int | None = None, *, most_wrong: float | None = None,
        key: str | None = None,
    ) -> Audit:  # fmt: skip
        """Sample an audit at random from the sure predictions; people answer it like any questions.

        It passes if at most `most_wrong` of all can be wrong, at 95 % confidence. Trainings wait for
        it, at most a day.

        Parameters
        ----------
        who
            A lead.
        at_least, most_wrong
            As in `sure`.
        n
            The number of items or cells; by default the smallest that can pass.
        key
            A repeated call with the same key changes nothing.

        Raises
        ------
        CorollaryError
            There is no model, there are too few sure predictions, or an audit failed before.
        """
        return accepting.audit(self._live, who, at_least, n, most_wrong, key)

    def last_audit(self, who: str) -> Audit | None:
        """Return the last audit; None if there is none. Only for leads."""
        return accepting.last_audit(self._live, who)[0]

    def accepting(self, who: str) -> UnderWay | None:
        """Return an acceptance that is not finished; go on with its group as key. Only for leads."""
        return accepting.last_audit(self._live, who)[1]

    def accept(
        self, who: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:
        """Accept all predictions that the last audit confirmed, in batches; `undo_all` takes all back.

        Repeat the key to go on, also after a crash. `progress` is called with the number of items
        done, and of all items.

        Raises
        ------
        CorollaryError
            There is no audit, or it is open, failed or outdated.
        """
        return accepting.accept(self._live, who, key, progress)

    def accept_some(self, who: str, *, key: str) -> GroupReply:
        """Accept the next batch; repeat with the same key while `left` is not 0."""
        return accepting.accept_some(self._live, who, key)

    def gold(
        self, who: str, item: str, label: str, value: bool, *, key: str | None = None
    ) -> Event:
        """Make a gold question: its answer is known, and people may be asked it as if it were open."""
        return self._say(
            (GOLD, who),
            key,
            lambda state: drafts.draft_gold(state, who, item, label, value),
            lead=True,
        )

    def withdraw(self, ids: str | Iterable[str], *, who: str, reason: str = "") -> list[Event]:
        """Take items out of the campaign, all or none; their answers are kept.

        Withdrawn items are not asked, trained on, counted or exported. Bring one back by undoing its
        event, or many with `bring_back`.

        Returns
        -------
        list of Event
            One event for each item that was not withdrawn before.
        """
        return leading.put_all(
            self._live,
            who,
            lambda state: drafts.draft_withdrawals(state, who, _listed(ids), reason),
        )

    def bring_back(self, ids: str | Iterable[str], *, who: str) -> list[Event]:
        """Bring withdrawn items back, all or none; return an event for each."""
        return leading.put_all(
            self._live, who, lambda state: drafts.draft_returns(state, who, _listed(ids))
        )

    def preview_ontology(self, text: str) -> Preview:
        """Return the effects that another ontology would have; nothing changes."""
        onto = parse_ontology(text)
        with self._ledger.lock:
            return preview(self.state, onto)

    def change_ontology(self, who: str, text: str, *, key: str | None = None) -> Event:
        """Put another ontology in force; raise CorollaryError if decisions would clash under it."""
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
        """Add items and known labels, all or none; return the number of events."""
        return leading.add(self._live, who, items, facts)

    def report(
        self, who: str, witness: str, reports: Iterable[Said], *, key: str | None = None, kind: str = ""
    ) -> Event:  # fmt: skip
        """Write the reports of a machine, all or none.

        Reports are weighed by the machine's estimated reliability, and are never facts. A new report
        replaces the machine's earlier one about the same label of an item. A model is trained at once.

        Parameters
        ----------
        who
            A lead.
        witness
            The name of the machine.
        reports
            (item, label, probability) for each.
        key
            A repeated call with the same key changes nothing.
        kind
            A note on the source of the reports.
        """
        return reporting.report(self._live, who, witness, reports, key=key, kind=kind)

    def remove_witness(self, who: str, witness: str) -> list[Event]:
        """Take back all reports of a machine; the log keeps them. `undo` takes back a single report."""
        return reporting.remove(self._live, who, witness)

    def pause(self, name: str | None = None, *, who: str) -> Event:
        """Pause a person, or everybody: no questions until `resume`."""
        return self._say(
            (PAUSE, who),
            None,
            lambda _: Event(kind=PAUSE, who=who, value=self._named(name)),
            lead=True,
        )

    def resume(self, name: str | None = None, *, who: str) -> Event:
        """End the pause of a person, or of everybody."""
        return self._say(
            (RESUME, who),
            None,
            lambda _: Event(kind=RESUME, who=who, value=self._named(name)),
            lead=True,
        )

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """Invite a person, and return their token, to be shown once."""
        reporting.check_person(self._live, name)
        return self._people.invite(name, role)

    def invite_by_link(
        self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS
    ) -> str:
        """Invite a person by a link, and return its secret, to be shown once.

        `join` exchanges the secret for a token, once, within `seconds`.
        """
        reporting.check_person(self._live, name)
        return self._people.link(name, role, seconds=seconds)

    def join(self, link: str) -> str | None:
        """Return a token for the secret of a link, for 90 days; None if the link does not work."""
        return self._people.join(link)

    def sign_out(self, token: str) -> None:
        """End a token that came from a link; tokens of programs stay."""
        self._people.sign_out(token)

    def linked(self, link: str) -> Annotator | None:
        """Return the person who is invited by a link; None if it does not work."""
        return self._people.linked(link)

    def revoke(self, name: str) -> None:
        """Remove a person; their answers stay in effect, and the items they hold become free."""
        self._people.revoke(name)
        with self._ledger.lock:
            for lease in self._live.leases.of(name):
                self._live.release(lease)

    def annotators(self) -> list[Annotator]:
        """Return everyone, in order of name, from memory; check `in_step` if it must be current."""
        return self._live.people.all()

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Store the hash of a person's password."""
        self._people.set_password(name, password_hash)

    def authenticate(self, token: str) -> Annotator | None:
        """Return the person with this token; None if there is none."""
        return self._live.people.authenticate(token)

    def retrain(self, *, wait: bool = False) -> dict[str, object]:
        """Train a model on all labels known now, and return the status of the training.

        With `wait`, return when the model is in use.
        """
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
        """Take a newly trained model into use; return whether there was one.

        Questions, answers and progress do so by themselves. A server calls it when nobody asks.
        """
        if not self.state.session.done:
            return False
        with self._ledger.lock:
            self._live.take_up()
        return True

    def keep_hook_place(self, name: str, seq: int) -> None:
        """Store the last event that was sent to a webhook."""
        self._live.store.put_hook_place(name, seq)

    def _finish_training(self) -> None:
        self.state.session.finish()  # not under the lock: people go on answering
        with self._ledger.lock:
            self._live.take_up()

    # -- leases ------------------------------------------------------------------------------------------------------

    def renew(self, who: str, leases: Sequence[str]) -> list[Lease]:
        """Hold questions for longer; return those that still exist."""
        with self._ledger.lock:
            self._live.let_go()
            renewed = self._live.leases.renew(who, leases, self.settings.lease_seconds)
            self._live.store.mirror_leases(renewed)
            return renewed

    def release(self, who: str, leases: Sequence[str]) -> int:
        """Give questions back without an answer; return their number."""
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
