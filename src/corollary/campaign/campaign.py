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

    Every write is checked and applied in memory under a lock, and acknowledged once it is on disk.
    If that fails, the caller gets the error, and everything is read again from the store.

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

    Notes
    -----
    These errors are not listed for each method. All of them are a `CorollaryError`.

    - A method that writes raises `StoreError` if the store fails, or is open for reading only.
    - A method with `who` raises `NotAllowed` if this person may not do it.
    - An item, label, person or event that does not exist is an error.
    - A `key` that was used for something else is an error.
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
        url : str or path
            A path for SQLite, or an address of PostgreSQL.
        items : iterable of Item, str or dict
            Texts, dicts with an "id" and perhaps a "text", or `Item`s.
        onto : Ontology
            The ontology.
        name, about : str
            The name and the description of the campaign.
        settings : mapping, optional
            Settings that differ from their defaults, see `Settings`. With "encoder", the campaign
            reads texts; "auto" chooses the best one installed.
        lead : str
            The name of the first lead.
        facts : iterable of (str, str, bool)
            Known labels of the items: item, label, yes or no.
        clock : callable
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
        url : str or path
            A path for SQLite, or an address of PostgreSQL.
        readonly : bool
            Open it for reading only, also while another process writes.
        clock : callable
            The time of day, for leases.

        Returns
        -------
        Campaign
            The open campaign.

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

        They are held for `lease_seconds`, a setting. `renew` holds them for longer.

        Parameters
        ----------
        who : str
            The name of the person.
        n : int
            The number of questions, including those that the person holds already.
        options : int, optional
            The most options of a pick, the most probable ones; `Campaign.options` finds the others.

        Returns
        -------
        list of HeldQuestion
            The questions; fewer than n if there are no more, and none during a pause.

        Raises
        ------
        NotAllowed
            The person is a reader, or no longer takes part.
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
        who, item : str
            The person and the item.
        label : str or None
            The label, or its id, name or synonym; None is the whole item.
        value : bool, str or list of str
            True, False, "cant_tell" or "skip"; for a whole item a list of its labels.
        key : str, optional
            A repeated call with the same key changes nothing, and returns the first reply.
        seconds : float, optional
            The time that the answer took.
        lease : str, optional
            The id of the question that it answers.

        Returns
        -------
        Reply
            The labels that it settled, and its conflict if there is one.

        Raises
        ------
        CorollaryError
            The item or label is unknown, the item is withdrawn, or the answer contradicts itself.
        """
        return self.take_answer(
            who, item, label, value, key=key, seconds=seconds, lease=lease
        ).wait()

    def take_answer(self, *said: Any, **how: Any) -> Pending[Reply]:
        """Write an answer without waiting for the disk; `wait` on the result returns the reply.

        Parameters
        ----------
        *said : object
            The person, the item, the label and the value, as in `answer`.
        **how : object
            `key`, `seconds` and `lease`, as in `answer`.

        Returns
        -------
        Pending
            The reply. Show it to nobody before `wait` has returned.

        Raises
        ------
        CorollaryError
            As in `answer`.
        """
        return answering.take_answer(self._live, Answer(*said, **how))

    def undo(self, who: str, seq: int | None = None, *, key: str | None = None) -> Undone:
        """Take back an answer or a flag of one's own; a lead may take back anybody's.

        A lead can also undo known labels, decisions, gold questions, withdrawals, acceptances,
        reports and the last change of the ontology.

        Parameters
        ----------
        who : str
            The person who takes it back.
        seq : int, optional
            The number of the event; by default the last answer or flag of this person.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Undone
            The undone event, and the labels that are open or settled again.

        Raises
        ------
        NotAllowed
            The event is another person's, and `who` is not a lead.
        CorollaryError
            There is nothing to undo, the event is taken back already, or its kind cannot be undone.
        """
        return answering.undo(self._live, who, seq, key)

    def flag(
        self, who: str, item: str, label: str | None = None, *, reason: str, note: str = "", rule: str | None = None,
        key: str | None = None,
    ) -> Event:  # fmt: skip
        """Flag an item for the lead; its flagger is no longer asked about it.

        Parameters
        ----------
        who, item : str
            The person and the item.
        label : str, optional
            The label of the question; without it the flag is about the whole item.
        reason : str
            "question", "text", "rule" or "other".
        note : str
            A note for the lead.
        rule : str, optional
            The constraint that looks wrong.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Event
            The flag; `unflag` ends it.

        Raises
        ------
        CorollaryError
            The item, label or reason is unknown, or the item is withdrawn.
        """
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
        """Report a contradiction to the lead that the person's own answer `seq` is part of.

        Parameters
        ----------
        who : str
            The person.
        seq : int
            The number of the answer.
        rules : sequence of str
            The constraints that look wrong.
        note : str
            A note for the lead.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Event
            The doubt; `unflag` ends it.

        Raises
        ------
        NotAllowed
            The event is not an answer of this person.
        """
        return self._say(
            (DOUBT, who), key, lambda state: drafts.draft_doubt(state, who, seq, rules, note)
        )

    # -- actions of a lead -------------------------------------------------------------------------

    def unflag(self, who: str, seq: int, *, key: str | None = None) -> Event:
        """End a flag or a doubt.

        Parameters
        ----------
        who : str
            A lead.
        seq : int
            The number of the flag or doubt.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Event
            The event that ends it.

        Raises
        ------
        CorollaryError
            The event is neither a flag nor a doubt, or it is taken back already.
        """
        return self._say(
            (UNFLAG, who), key, lambda state: drafts.draft_unflag(state, who, seq), lead=True
        )

    def decide(
        self, who: str, item: str, label: str, value: bool, *, reject: Sequence[int] = (), note: str = "",
        key: str | None = None,
    ) -> Reply:  # fmt: skip
        """Decide a label of an item, whatever people answered.

        Parameters
        ----------
        who : str
            A lead.
        item : str
            The item.
        label : str
            The label, or its id, name or synonym.
        value : bool
            The value that holds.
        reject : sequence of int
            The numbers of answers about the item that no longer count.
        note : str
            A note on the decision.
        key : str, optional
            A repeated call with the same key changes nothing, and returns the first reply.

        Returns
        -------
        Reply
            The labels that it settled, and a conflict of the item that is left.

        Raises
        ------
        Contradiction
            The decision clashes with other decisions about the item.
        CorollaryError
            A number in `reject` is not that of an answer about the item, or the item is withdrawn.
        """
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
        """Give the same answer about a label for many items, all or none.

        `undo_all` takes all of them back.

        Parameters
        ----------
        who : str
            A lead.
        items : iterable of str
            The ids of 1 to 10,000 items.
        label : str
            The label, or its id, name or synonym.
        value : bool or str
            True, False, "cant_tell" or "skip".
        key : str, optional
            The name of the group. A repeated call with the same key changes nothing.

        Returns
        -------
        GroupReply
            The group, its events, and their effect.

        Raises
        ------
        CorollaryError
            There are too many items, or one of them is withdrawn.
        """
        return leading.answer_all(self._live, who, items, label, value, key)

    def undo_all(
        self, who: str, group: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:  # fmt: skip
        """Take back all events of a group that are still in effect, in batches.

        Parameters
        ----------
        who : str
            A lead.
        group : str
            The name of the group, as in the reply of `answer_all` or `accept`.
        key : str, optional
            The name of the group of undos. Repeat it to go on, also after a crash.
        progress : callable, optional
            Called between batches with the number of events done, and of all events.

        Returns
        -------
        GroupReply
            The undos, and the labels that are open or settled again.

        Raises
        ------
        CorollaryError
            There is no such group, or all of its events are taken back already.
        """
        return leading.undo_all(self._live, who, group, key, progress)

    def undo_some(self, who: str, group: str, *, key: str) -> GroupReply:
        """Take back the next batch of a group; repeat with the same key while `left` is not 0.

        Parameters
        ----------
        who : str
            A lead.
        group : str
            The name of the group.
        key : str
            The name of the group of undos.

        Returns
        -------
        GroupReply
            The undos of this batch, and the number of events `left`.

        Raises
        ------
        CorollaryError
            There is no such group, or all of its events were taken back before.
        """
        return leading.undo_some(self._live, who, group, key)

    def sure(
        self, who: str, at_least: float = 0.99, *, most_wrong: float | None = None
    ) -> SureThings:
        """Return the sure predictions, the size of an audit of them, and the last audit.

        If each item has one label, whole items are counted, with the probability of their most
        probable labelling. Else cells are counted, each a label of an item.

        Parameters
        ----------
        who : str
            A lead.
        at_least : float
            The least probability of a sure prediction, above 0.5 and below 1.
        most_wrong : float, optional
            The share of them that may be wrong; by default 1 - `at_least`.

        Returns
        -------
        SureThings
            Their number, the size of the audit that they need, and the last audit.

        Raises
        ------
        CorollaryError
            There is no model yet, or a number is out of range.
        """
        return accepting.look(self._live, who, at_least, most_wrong)

    def audit(
        self, who: str, at_least: float = 0.99, n: int | None = None, *, most_wrong: float | None = None,
        key: str | None = None,
    ) -> Audit:  # fmt: skip
        """Sample an audit at random from the sure predictions; people answer it like any questions.

        It passes if at most `most_wrong` of all can be wrong, at 95 % confidence. Trainings wait
        for it, at most a day.

        Parameters
        ----------
        who : str
            A lead.
        at_least : float
            As in `sure`.
        n : int, optional
            The number of items or cells; by default the smallest that can pass.
        most_wrong : float, optional
            As in `sure`.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Audit
            The audit, with its questions.

        Raises
        ------
        CorollaryError
            There is no model or one is being trained, there are too few sure predictions, or an
            audit failed before.
        """
        return accepting.audit(self._live, who, at_least, n, most_wrong, key)

    def last_audit(self, who: str) -> Audit | None:
        """Return the last audit with its current result.

        Parameters
        ----------
        who : str
            A lead.

        Returns
        -------
        Audit or None
            The audit; None if there is none.
        """
        return accepting.last_audit(self._live, who)[0]

    def accepting(self, who: str) -> UnderWay | None:
        """Return an acceptance that is not finished; go on with its group as the key of `accept`.

        Parameters
        ----------
        who : str
            A lead.

        Returns
        -------
        UnderWay or None
            The group, its audit, and the number of items done and left; None if there is none.
        """
        return accepting.last_audit(self._live, who)[1]

    def accept(
        self, who: str, *, key: str | None = None, progress: Progress | None = None
    ) -> GroupReply:
        """Accept all predictions that the last audit confirmed, in batches.

        `undo_all` takes all of them back.

        Parameters
        ----------
        who : str
            A lead.
        key : str, optional
            The name of the group. Repeat it to go on, also after a crash.
        progress : callable, optional
            Called between batches with the number of items done, and of all items.

        Returns
        -------
        GroupReply
            The group, its events, and their effect.

        Raises
        ------
        CorollaryError
            There is no audit, it is open, failed or outdated, or nothing is left to accept.
        """
        return accepting.accept(self._live, who, key, progress)

    def accept_some(self, who: str, *, key: str) -> GroupReply:
        """Accept the next batch; repeat with the same key while `left` is not 0.

        Parameters
        ----------
        who : str
            A lead.
        key : str
            The name of the group.

        Returns
        -------
        GroupReply
            The events of this batch, and the number of items `left`.

        Raises
        ------
        CorollaryError
            As in `accept`.
        """
        return accepting.accept_some(self._live, who, key)

    def gold(
        self, who: str, item: str, label: str, value: bool, *, key: str | None = None
    ) -> Event:
        """Make a gold question: its answer is known, and people may be asked it as if it were open.

        Parameters
        ----------
        who : str
            A lead.
        item : str
            The item.
        label : str
            The label, or its id, name or synonym.
        value : bool
            The right answer. It counts as a decision.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Event
            The event; `undo` takes it back.

        Raises
        ------
        Contradiction
            The answer clashes with decisions about the item.
        CorollaryError
            The item or label is unknown, or the item is withdrawn.
        """
        return self._say(
            (GOLD, who),
            key,
            lambda state: drafts.draft_gold(state, who, item, label, value),
            lead=True,
        )

    def withdraw(self, ids: str | Iterable[str], *, who: str, reason: str = "") -> list[Event]:
        """Take items out of the campaign, all or none; their answers are kept.

        Withdrawn items are not asked, trained on, counted or exported. Bring one back by undoing
        its event, or many with `bring_back`.

        Parameters
        ----------
        ids : str or iterable of str
            The ids of the items.
        who : str
            A lead.
        reason : str
            The reason. The error for an answer about the item shows it.

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
        """Bring withdrawn items back, all or none.

        Parameters
        ----------
        ids : str or iterable of str
            The ids of the items.
        who : str
            A lead.

        Returns
        -------
        list of Event
            One event for each item that was withdrawn.

        Raises
        ------
        Contradiction
            Decisions about an item clash under the current ontology.
        """
        return leading.put_all(
            self._live, who, lambda state: drafts.draft_returns(state, who, _listed(ids))
        )

    def preview_ontology(self, text: str) -> Preview:
        """Return the effects that another ontology would have; nothing changes.

        Parameters
        ----------
        text : str
            The ontology, in the notation.

        Returns
        -------
        Preview
            The labels that it adds and removes, and the number that it settles and reopens.

        Raises
        ------
        CorollaryError
            The text cannot be read, has no labels, or contradicts itself.
        """
        onto = parse_ontology(text)
        with self._ledger.lock:
            return preview(self.state, onto)

    def change_ontology(self, who: str, text: str, *, key: str | None = None) -> Event:
        """Put another ontology in force; the log keeps answers about labels that it does not have.

        Use `update` if labels are renamed or merged.

        Parameters
        ----------
        who : str
            A lead.
        text : str
            The ontology, in the notation.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Event
            The event, with the new version as its value; `undo` takes it back.

        Raises
        ------
        CorollaryError
            The text is wrong, or decisions of a lead would clash under it.
        """
        return leading.change_ontology(self._live, who, text, key)

    def preview_update(
        self, release: Ontology | str | PathLike[str], *, follow: Mapping[str, str] | None = None
    ) -> Update:
        """Show what a new release of the ontology would do; nothing changes.

        Parameters
        ----------
        release : Ontology, str or path
            A file, or an ontology.
        follow : mapping of str to str, optional
            Labels in force and labels of the release that mean the same: answers follow.

        Returns
        -------
        Update
            The changes of labels, and each answer that would go out of effect.

        Raises
        ------
        CorollaryError
            The release has no labels or contradicts itself, or `follow` has an unknown label.
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
        """Put a new release of the ontology in force.

        Answers follow terms that were renamed, merged or replaced. See `preview_update`. `undo`
        with the number of the event takes it back.

        Parameters
        ----------
        who : str
            A lead.
        release : Ontology, str or path
            A file, or an ontology.
        follow : mapping of str to str, optional
            Labels in force and labels of the release that mean the same: answers follow.
        key : str, optional
            A repeated call with the same key changes nothing.
        file : str, optional
            The name of the file for the log; by default that of `release`.
        seen : (int, int), optional
            `version` and the length of `out_of_effect` of a preview. An update that does more is
            refused.

        Returns
        -------
        Event
            The event, with the new version as its value.

        Raises
        ------
        CorollaryError
            Decisions of a lead would clash under the release, or it does more than the preview
            said.
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
        """Change some settings, and return all of them.

        Parameters
        ----------
        who : str
            A lead.
        changes : mapping
            The new value of each setting that changes, see `Settings`.
        key : str, optional
            A repeated call with the same key changes nothing.

        Returns
        -------
        Settings
            The settings in force.

        Raises
        ------
        CorollaryError
            A value is not allowed, or there is no setting of that name.
        """
        leading.change_settings(self._live, who, changes, key)
        return self.settings

    def add(self, who: str, items: Iterable[Item] = (), facts: Iterable[Fact] = ()) -> int:
        """Add items and known labels, all or none; return the number of events.

        Parameters
        ----------
        who : str
            A lead.
        items : iterable of Item
            The new items. Their ids must not be in the campaign.
        facts : iterable of (str, str, bool)
            Known labels of new or earlier items: item, label, yes or no.

        Returns
        -------
        int
            The number of events: one for all new items, and one for each known label.

        Raises
        ------
        CorollaryError
            An item is in the campaign already, its vector does not fit, or a known label is wrong.
        """
        return leading.add(self._live, who, items, facts)

    def report(
        self, who: str, witness: str, reports: Iterable[Said], *, key: str | None = None, kind: str = ""
    ) -> Event:  # fmt: skip
        """Write the reports of a machine, all or none.

        Reports are weighed by the machine's estimated reliability, and are never facts. A new
        report replaces the machine's earlier one about the same label of an item. A model is
        trained at once.

        Parameters
        ----------
        who : str
            A lead.
        witness : str
            The name of the machine.
        reports : iterable of (str, str, float)
            (item, label, probability) for each.
        key : str, optional
            A repeated call with the same key changes nothing.
        kind : str
            A note on the source of the reports.

        Returns
        -------
        Event
            One event for all reports; `undo` takes them back.

        Raises
        ------
        CorollaryError
            The name is that of a person, there are no reports, or one of them is wrong or repeated.
        """
        return reporting.report(self._live, who, witness, reports, key=key, kind=kind)

    def remove_witness(self, who: str, witness: str) -> list[Event]:
        """Take back all reports of a machine; the log keeps them.

        `undo` takes back a single report.

        Parameters
        ----------
        who : str
            A lead.
        witness : str
            The name of the machine.

        Returns
        -------
        list of Event
            The undo of each report.

        Raises
        ------
        CorollaryError
            No report of this machine is in effect.
        """
        return reporting.remove(self._live, who, witness)

    def pause(self, name: str | None = None, *, who: str) -> Event:
        """Pause a person, or everybody: no questions until `resume`.

        Parameters
        ----------
        name : str, optional
            The person; by default everybody.
        who : str
            A lead.

        Returns
        -------
        Event
            The event of the pause.
        """
        return self._say(
            (PAUSE, who),
            None,
            lambda _: Event(kind=PAUSE, who=who, value=self._named(name)),
            lead=True,
        )

    def resume(self, name: str | None = None, *, who: str) -> Event:
        """End the pause of a person, or of everybody.

        Parameters
        ----------
        name : str, optional
            The person; by default the pause of everybody ends, and not that of single persons.
        who : str
            A lead.

        Returns
        -------
        Event
            The event that ends the pause.
        """
        return self._say(
            (RESUME, who),
            None,
            lambda _: Event(kind=RESUME, who=who, value=self._named(name)),
            lead=True,
        )

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """Invite a person, and return their token, to be shown once.

        A person who takes part already gets the role and a new token. The earlier one no longer
        works.

        Parameters
        ----------
        name : str
            The name of the person.
        role : str
            "annotator", "lead" or "reader".

        Returns
        -------
        str
            The token. Only its hash is kept.

        Raises
        ------
        OnlyLead
            The person is the only lead and would get another role.
        CorollaryError
            The name or the role is not allowed, or the name is that of a machine.
        """
        reporting.check_person(self._live, name)
        return self._people.invite(name, role)

    def invite_by_link(
        self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS
    ) -> str:
        """Invite a person by a link, and return its secret, to be shown once.

        `join` exchanges the secret for a token, once, within `seconds`.

        Parameters
        ----------
        name : str
            The name of the person.
        role : str
            "annotator", "lead" or "reader".
        seconds : float
            The time for which the link works; by default a week.

        Returns
        -------
        str
            The secret of the link. Only its hash is kept.

        Raises
        ------
        CorollaryError
            As in `invite`.
        """
        reporting.check_person(self._live, name)
        return self._people.link(name, role, seconds=seconds)

    def join(self, link: str) -> str | None:
        """Exchange the secret of a link for a token; the link no longer works.

        Parameters
        ----------
        link : str
            The secret of `invite_by_link`.

        Returns
        -------
        str or None
            A token that works for 90 days; None if the link does not work.
        """
        return self._people.join(link)

    def sign_out(self, token: str) -> None:
        """End a token that came from a link; other tokens stay.

        Parameters
        ----------
        token : str
            The token of `join`. Nothing happens if it is unknown.
        """
        self._people.sign_out(token)

    def linked(self, link: str) -> Annotator | None:
        """Return the person who is invited by a link; the link can still be used.

        Parameters
        ----------
        link : str
            The secret of `invite_by_link`.

        Returns
        -------
        Annotator or None
            The person; None if the link does not work.
        """
        return self._people.linked(link)

    def revoke(self, name: str) -> None:
        """Remove a person; their answers stay in effect, and the items they hold become free.

        Parameters
        ----------
        name : str
            The name of the person. `invite` brings them back.

        Raises
        ------
        OnlyLead
            The person is the only lead.
        """
        self._people.revoke(name)
        with self._ledger.lock:
            for lease in self._live.leases.of(name):
                self._live.release(lease)

    def annotators(self) -> list[Annotator]:
        """Return everyone, in order of name, from memory; check `in_step` if it must be current.

        Returns
        -------
        list of Annotator
            The people, also those who were removed.
        """
        return self._live.people.all()

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Store the hash of a person's password.

        Parameters
        ----------
        name : str
            The name of the person.
        password_hash : str or None
            The hash; None for no password.
        """
        self._people.set_password(name, password_hash)

    def authenticate(self, token: str) -> Annotator | None:
        """Return the person with this token.

        Parameters
        ----------
        token : str
            A token of `invite` or `join`.

        Returns
        -------
        Annotator or None
            The person; None if the token does not work.
        """
        return self._live.people.authenticate(token)

    def retrain(self, *, wait: bool = False) -> dict[str, object]:
        """Train a model on all labels known now, and return the status of the training.

        Parameters
        ----------
        wait : bool
            Return only when the model is in use, or its training has failed.

        Returns
        -------
        dict
            "training": whether one is running, its "seconds", the last "error", and "notes".
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

        Returns
        -------
        bool
            Whether a training had ended. Its model waits while an acceptance needs the current one.
        """
        if not self.state.session.done:
            return False
        with self._ledger.lock:
            self._live.take_up()
        return True

    def keep_hook_place(self, name: str, seq: int) -> None:
        """Store the last event that was sent to a webhook.

        Parameters
        ----------
        name : str
            The name of the webhook.
        seq : int
            The number of the event.
        """
        self._live.store.put_hook_place(name, seq)

    def _finish_training(self) -> None:
        self.state.session.finish()  # not under the lock: people go on answering
        with self._ledger.lock:
            self._live.take_up()

    # -- leases ------------------------------------------------------------------------------------------------------

    def renew(self, who: str, leases: Sequence[str]) -> list[Lease]:
        """Hold questions for longer.

        Parameters
        ----------
        who : str
            The name of the person.
        leases : sequence of str
            The ids of the questions.

        Returns
        -------
        list of Lease
            Those that this person still holds, for `lease_seconds` from now.
        """
        with self._ledger.lock:
            self._live.let_go()
            renewed = self._live.leases.renew(who, leases, self.settings.lease_seconds)
            self._live.store.mirror_leases(renewed)
            return renewed

    def release(self, who: str, leases: Sequence[str]) -> int:
        """Give questions back without an answer; return their number.

        Parameters
        ----------
        who : str
            The name of the person.
        leases : sequence of str
            The ids of the questions.

        Returns
        -------
        int
            The number of questions that this person held.
        """
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
