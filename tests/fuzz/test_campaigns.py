"""Whatever people do with a campaign: memory is what the log gives, and a naive recount gives the same."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import (
    ACCEPT,
    ANSWER,
    DECISION,
    FACT,
    GOLD,
    MODEL,
    UNDO,
    UNFLAG,
    WITHDRAW,
)
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.items import Item
from corollary.campaign.live.next_question import choose
from corollary.campaign.live.sure.audits import last_audit
from corollary.campaign.progress.progress import Figures
from corollary.campaign.training.training_process import FeaturesOfItems, Trainer, train
from corollary.logic.errors import Contradiction, CorollaryError

from .frame import examples, within

pytestmark = pytest.mark.slow

LABELS = ("a", "b", "c", "d")
PEOPLE = ("ann", "ben", "mara")  # mara leads
SETTINGS = (
    {"overlap": 1.0},
    {"overlap": 0.0},
    {"fallible": True},
    {"fallible": False},
    {"opinions": 3},
    {"gold_share": 1.0},
    {"gold_share": 0.0},
    {"item_cost": 1.5},
    {"item_cost": None},
    {"pick": "always"},
    {"pick": "auto"},
    {"pick": "never"},
    {"stay": "label"},
    {"stay": "item"},
    {"stay": None},
    {"suggest": 1.0},
    {"suggest": 0.0},
    {"seed": 7},
)

labels = st.sampled_from(LABELS)
people = st.sampled_from(PEOPLE)
numbers = st.integers(0, 30)
leads = st.sampled_from(("mara", "mara", "mara", "ann"))  # ann may not
reports = st.lists(
    st.tuples(numbers, labels, st.sampled_from((0.0, 1.0, 1.0, 0.3, 0.9, 1.5))), max_size=6
)
sures = st.sampled_from((0.501, 0.6, 0.9))
shares = st.sampled_from((None, 0.5, 0.8, 0.95))
pairs = st.lists(labels, min_size=2, max_size=3, unique=True).map(", ".join)
statements = st.one_of(
    st.tuples(labels, labels).filter(lambda two: two[0] != two[1]).map(" > ".join),
    st.tuples(
        st.sampled_from(("exclusive", "exactly one", "at least one", "equivalent")), pairs
    ).map(": ".join),
    labels.map("at least one: {}".format),
    st.sampled_from(("rule: a & b >> c", "rule: a | ~d", "rule: ~a | b | c", "rule: ~b")),
)


@st.composite
def ontologies(draw):
    """The text of a small ontology; it may lack labels, settle some or all by itself, or contradict itself."""
    if draw(st.integers(0, 9)) == 9:
        return draw(st.sampled_from(("at least one: a", "exactly one: a, b\nat least one: a")))
    named = draw(st.lists(labels, min_size=1, unique=True))
    declared = [f"labels: {', '.join(named)}"] if draw(st.booleans()) else []
    return "\n".join([*declared, *draw(st.lists(statements, max_size=3))])


class Naive:
    """What a log says, worked out by brute force: a list of events and a loop over all worlds."""

    def __init__(self, state):
        self.onto, self.ontologies, self.events, self.ids = (
            state.onto,
            state.ontologies,
            state.events,
            state.ids,
        )
        self.legal = [world for world in self.all_worlds() if self.is_legal(world)]
        undone = {event.refers for event in self.events if event.kind in (UNDO, UNFLAG)}
        standing = [event for event in self.events if event.seq not in undone]
        self.withdrawn = {event.item for event in standing if event.kind == WITHDRAW}
        self.standing = [event for event in standing if event.item not in self.withdrawn]
        self.rejected = {
            seq
            for event in standing
            if event.kind == DECISION
            for seq in (event.detail or {}).get("reject", ())
        }
        self.asked = sum(event.kind == ANSWER and event.value != "skip" for event in self.standing)
        self.doubted = {}  # where people can be wrong, what is improbable of each item as the log tells
        for event in self.events if state.settings.fallible else ():
            told = (event.detail or {}).get("doubted", {} if event.kind == MODEL else None)
            self.doubted.update(
                told if event.kind == MODEL else {} if told is None else {event.item: told}
            )

    def all_worlds(self):
        names = self.onto.labels
        return [
            dict(zip(names, one, strict=True))
            for one in itertools.product((False, True), repeat=len(names))
        ]

    def is_legal(self, world):
        try:
            self.onto.propagate(world)
        except Contradiction:
            return False
        return True

    def known(self, claims):
        """What is the same in all legal worlds with these labels; None where there is no such world."""
        worlds = [
            one for one in self.legal if all(one[label] == value for label, value in claims.items())
        ]
        if not worlds:
            return None
        first = worlds[0]
        return {
            label: first[label]
            for label in first
            if all(one[label] == first[label] for one in worlds)
        }

    def facts(self, item):
        """What is known of an item; None where something that people said conflicts."""
        last, claims = {}, {}
        for event in self.standing:
            if event.item == item and event.kind in (DECISION, GOLD):
                claims[event.label] = event.value
            elif (
                event.item == item
                and event.kind in (ANSWER, FACT, ACCEPT)
                and event.seq not in self.rejected
            ):
                for label, value in self.cells(event).items():
                    last.setdefault(label, {})[event.who] = value, event.seq
        for label, by in last.items():
            out = [seq for seq, name in self.doubted.get(item, ()) if name == label]
            said = {
                value for value, seq in by.values() if isinstance(value, bool) and seq not in out
            }
            if label not in claims and len(said) == 1:
                (claims[label],) = said
        return self.known(
            {label: value for label, value in claims.items() if label in self.onto.index}
        )

    def cells(self, event):
        if event.label is not None:
            return {event.label: event.value}
        if isinstance(event.value, str):
            return {}
        if event.kind == ACCEPT:
            return event.value
        cells = dict.fromkeys(event.detail["options"], False)
        return cells | dict(
            self.ontologies[event.ontology].propagate(dict.fromkeys(event.value, True))
        )


def trained_here(self, wanted):
    """A training in this process: one of its own takes seconds to start."""
    return train(FeaturesOfItems(self._items(), self._kept()), wanted)


class Campaigns(RuleBasedStateMachine):
    """People and a lead at work on one campaign; models are trained when the lead says so, quick ones."""

    def __init__(self):
        super().__init__()
        self.here = patch.object(Trainer, "_send", trained_here)
        self.here.start()
        self.folder = Path(tempfile.mkdtemp(prefix="corollary-fuzz-"))
        self.campaign = None
        self.items = 0
        self.keys = {}

    def teardown(self):
        try:
            if self.campaign is not None:
                assert self.campaign.verify(step_by_step=True) == []
                self.campaign.close()
        finally:
            self.here.stop()
            shutil.rmtree(self.folder, ignore_errors=True)

    def attempt(self, act):
        """Do something; what cannot be done is refused with an error of ours, and leaves no trace."""
        before = self.campaign.state.seq
        try:
            with within():
                return act()
        except CorollaryError:
            assert self.campaign.state.seq == before
            return None

    def item(self, n):
        return f"i{n % self.items}"

    def event(self, n):
        return 1 + n % max(self.campaign.state.seq, 1)

    @initialize(text=ontologies(), n=st.integers(1, 4))
    def create(self, text, n):
        self.items = n
        items = [Item(f"i{k}", text=f"thing {k}") for k in range(n)]
        place, options = self.folder / "c.sqlite", {"retrain_every": 10**6, "learner": "logistic"}
        try:
            onto = co.Ontology.parse(text)
            self.campaign = Campaign.create(
                place, items, onto, name="fuzz", lead="mara", settings=options
            )
        except CorollaryError:
            onto = co.Ontology.parse("labels: a, b, c, d")
            self.campaign = Campaign.create(
                place, items, onto, name="fuzz", lead="mara", settings=options
            )
        for name in PEOPLE[:2]:
            self.campaign.invite(name)

    # -- what people do ----------------------------------------------------------------------------------------------

    @rule(
        who=people,
        n=st.integers(1, 3),
        value=st.sampled_from((True, False, "cant_tell", "skip", None)),
    )
    def ask_and_answer(self, who, n, value):
        asked = self.attempt(lambda: self.campaign.next(who, n)) or []
        if asked and value is not None:
            first = asked[0]
            said = (
                value
                if first.label or isinstance(value, str)
                else list(first.options[: int(value)])
            )
            self.attempt(
                lambda: self.campaign.answer(who, first.item.id, first.label, said, lease=first.id)
            )

    @rule(
        who=people,
        n=numbers,
        label=labels,
        value=st.sampled_from((True, False, "cant_tell", "skip")),
    )
    def answer(self, who, n, label, value):
        self.attempt(lambda: self.campaign.answer(who, self.item(n), label, value))

    @rule(who=people, n=numbers, picked=st.lists(labels, max_size=2))
    def answer_whole(self, who, n, picked):
        self.attempt(lambda: self.campaign.answer(who, self.item(n), None, picked))

    @rule(
        who=people,
        n=numbers,
        label=labels,
        value=st.booleans(),
        key=st.sampled_from(("k1", "k2", "k3")),
    )
    def answer_by_key(self, who, n, label, value, key):
        before = self.campaign.state.seq
        reply = self.attempt(lambda: self.campaign.answer(who, self.item(n), label, value, key=key))
        if reply is not None and key in self.keys:
            assert (reply.seq, self.campaign.state.seq) == (self.keys[key], before)
        elif reply is not None:
            self.keys[key] = reply.seq

    @rule(who=people, n=st.none() | numbers)
    def undo(self, who, n):
        self.attempt(lambda: self.campaign.undo(who, None if n is None else self.event(n)))

    @rule(who=people, n=numbers, reason=st.sampled_from(("text", "rule")))
    def flag(self, who, n, reason):
        self.attempt(lambda: self.campaign.flag(who, self.item(n), reason=reason))

    @rule(who=people, n=numbers)
    def doubt_or_deal_with_it(self, who, n):
        if self.attempt(lambda: self.campaign.doubt(who, self.event(n))) is None:
            self.attempt(lambda: self.campaign.unflag("mara", self.event(n)))

    @rule(who=people)
    def give_back(self, who):
        leases = [lease.id for lease in self.campaign.leases() if lease.who == who]
        self.campaign.release(who, leases[:1])

    # -- what a lead does --------------------------------------------------------------------------------------------

    @rule(n=numbers, label=labels, value=st.booleans(), reject=st.none() | numbers)
    def decide(self, n, label, value, reject):
        rejected = [] if reject is None else [self.event(reject)]
        self.attempt(
            lambda: self.campaign.decide("mara", self.item(n), label, value, reject=rejected)
        )

    @rule(n=numbers, label=labels, value=st.booleans())
    def gold(self, n, label, value):
        self.attempt(lambda: self.campaign.gold("mara", self.item(n), label, value))

    @rule(who=leads, ns=st.lists(numbers, min_size=1, max_size=3))
    def withdraw(self, who, ns):
        self.attempt(
            lambda: self.campaign.withdraw([self.item(n) for n in ns], who=who, reason="fuzz")
        )

    @rule(ns=st.lists(numbers, min_size=1, max_size=3))
    def bring_back(self, ns):
        self.attempt(lambda: self.campaign.bring_back([self.item(n) for n in ns], who="mara"))

    @rule(
        new=st.integers(0, 2), facts=st.lists(st.tuples(numbers, labels, st.booleans()), max_size=3)
    )
    def add(self, new, facts):
        n = self.items + new
        items = [Item(f"i{k}", text="new") for k in range(self.items, n)]
        known = [(f"i{k % n}", label, value) for k, label, value in facts]
        if self.attempt(lambda: self.campaign.add("mara", items, known)) is not None:
            self.items = n

    @rule(who=leads, name=st.sampled_from(("m", "n", "ann")), cells=reports)
    def report(self, who, name, cells):
        said = [(self.item(n), label, value) for n, label, value in cells]
        self.attempt(lambda: self.campaign.report(who, name, said))

    @rule(name=st.sampled_from(("m", "n")))
    def remove_witness(self, name):
        self.attempt(lambda: self.campaign.remove_witness("mara", name))

    @rule()
    def train(self):
        self.attempt(lambda: self.campaign.retrain(wait=True))

    @rule(who=leads, sure=sures, n=st.none() | st.integers(1, 4), share=shares, anew=st.booleans())
    def audit(self, who, sure, n, share, anew):
        if anew or not self.campaign.state.has_model:
            self.train()
        told = self.attempt(lambda: self.campaign.sure(who, sure, most_wrong=share))
        drawn = self.attempt(lambda: self.campaign.audit(who, sure, n, most_wrong=share))
        assert drawn is None or len(set(drawn.drawn)) == len(drawn.drawn) <= getattr(
            told, told.unit
        )

    @rule(
        who=people,
        most=st.integers(1, 4),
        said=st.sampled_from((True, True, True, False, "cant_tell")),
    )
    def answer_the_audit(self, who, most, said):
        """As it was predicted, or otherwise, or that nobody can tell."""
        last = last_audit(self.campaign.state)
        predicted = (
            {} if last is None else {(item, label): value for item, label, value in last.drawn}
        )
        for cell in () if last is None else last.to_answer[:most]:
            value = said if said == "cant_tell" else predicted[cell] == said
            if cell[1] is None and said != "cant_tell":
                value = list(predicted[cell]) if said else [self.campaign.state.onto.labels[0]]
            self.attempt(lambda cell=cell, value=value: self.campaign.answer(who, *cell, value))

    @rule(who=leads, key=st.sampled_from((None, "g1", "g2")))
    def accept(self, who, key):
        """Only what an audit confirmed, and of that what is open."""
        state = self.campaign.state
        before, known, last = state.seq, state.facts.copy(), last_audit(state)
        told = self.attempt(lambda: self.campaign.accept(who, key=key))
        for event in () if told is None else told.events:
            if event.seq > before:  # else it was accepted before, by this key
                assert (who, last.state) == ("mara", "passed")
                row = known[state.row(event.item)]
                if isinstance(event.value, list):
                    assert (row < 0).any()
                else:
                    assert all(row[state.onto.index[label]] < 0 for label in event.value)

    @rule(sure=sures, key=st.sampled_from(("g1", "g2", "g4")), undone=st.booleans())
    def audit_and_accept(self, sure, key, undone):
        """The whole way, as a lead goes it, and back."""
        self.audit("mara", sure, None, 0.95, True)
        self.answer_the_audit("mara", 4, True)
        self.accept("mara", key)
        if undone:
            self.undo_the_lot(key)

    @rule(ns=st.lists(numbers, min_size=1, max_size=3), label=labels, value=st.booleans())
    def answer_many(self, ns, label, value):
        self.attempt(
            lambda: self.campaign.answer_all(
                "mara", [self.item(n) for n in ns], label, value, key="g3"
            )
        )

    @rule(group=st.sampled_from(("g1", "g2", "g3")))
    def undo_the_lot(self, group):
        self.attempt(lambda: self.campaign.undo_all("mara", group))

    @rule(text=ontologies())
    def change_ontology(self, text):
        foreseen = self.attempt(lambda: self.campaign.preview_ontology(text))
        changed = self.attempt(lambda: self.campaign.change_ontology("mara", text))
        assert (changed is None) == (foreseen is None or bool(foreseen.refused))

    @rule(changes=st.sampled_from(SETTINGS))
    def change_settings(self, changes):
        self.attempt(lambda: self.campaign.change_settings("mara", changes))

    @rule()
    def open_anew(self):
        before = self.campaign.state
        self.campaign.close()
        self.campaign = Campaign.open(self.folder / "c.sqlite")
        assert self.campaign.state.counts() == before.counts()
        assert self.campaign.state.leased == before.leased

    @rule()
    def look(self):
        Figures(self.campaign).get()
        state = self.campaign.state
        for withdrawn in (False, True):
            shown = [
                item.id for item, _, _ in take_snapshot(self.campaign, withdrawn=withdrawn).rows()
            ]
            assert shown == [one for one in state.ids if (one in state.withdrawn) == withdrawn]

    # -- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    @precondition(lambda self: self.campaign is not None)
    def memory_is_what_the_log_gives(self):
        with within():
            assert self.campaign.verify(train=False) == []

    @invariant()
    @precondition(lambda self: self.campaign is not None)
    def a_naive_recount_gives_the_same(self):
        state, counts = self.campaign.state, self.campaign.state.counts()
        naive = Naive(state)
        blank = naive.known({})
        settled = done = 0
        for item in state.ids:
            known, expected = state.known_of(item), naive.facts(item)
            if item in naive.withdrawn:
                assert known == blank
                continue
            assert expected is None or known == expected, item
            settled += len(known.keys() - blank.keys())
            done += len(known) == len(state.onto)
        n = len(state.ids) - len(naive.withdrawn)
        assert set(state.withdrawn) == naive.withdrawn
        assert (counts["items"], counts["cells"]) == (n, n * (len(state.onto) - len(blank)))
        assert (counts["asked"], counts["settled"], counts["done"]) == (naive.asked, settled, done)
        assert counts["held"] == sum(one.held for one in state.standings.values())
        said = counts["answered"] + counts["imported"] + counts["decided"] + counts["accepted"]
        assert (said + counts["implied"], settled + counts["open"]) == (settled, counts["cells"])
        # What was saved can be less than nothing: a question that nobody can answer settles none.
        assert {name: n for name, n in counts.items() if n < 0}.keys() <= {"saved", "saved_today"}

    @invariant()
    @precondition(lambda self: self.campaign is not None)
    def a_question_is_with_one_person(self):
        state, held = self.campaign.state, [lease.item for lease in self.campaign.leases()]
        assert len(held) == len(set(held))
        assert state.leased == set(held)
        assert not set(held) & set(state.withdrawn)
        resting = {item for item in state.ids if state.standing_of(item).rests}
        for who in PEOPLE:
            following = choose(state, who, state.answered[who])
            assert following is None or following[0] not in {*held, *resting}


TestCampaigns = Campaigns.TestCase
TestCampaigns.settings = settings(examples(4), stateful_step_count=40)
