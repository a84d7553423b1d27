"""Random sequences of everything that can happen in a campaign: whatever was taken, it opens again and is the same."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.storage.backups import restore

pytestmark = pytest.mark.slow

BANK = "exactly one: cash, cards\ncash > exactly one: swallowed, charge\ncards > exactly one: lost, stolen"
ONTOLOGIES = (
    BANK,
    "exactly one: cash, cards\ncash > exactly one: charge, fee\ncards > exactly one: lost, stolen, swallowed",
    "exactly one: cash, cards\ncash > swallowed, charge\ncards > lost, stolen",
    "exclusive: cash, cards\ncash > exclusive: swallowed, charge\ncards > exclusive: lost\nlost > stolen",
    "exactly one: lost, stolen, charge\nurgent > lost",
    f"{BANK}\nurgent > stolen, charge\nlabels: cash, cards, swallowed, charge, lost, stolen, urgent, new",
    f"{BANK}\nrule: ~swallowed",
)
LABELS = ("cash", "cards", "swallowed", "charge", "lost", "stolen", "fee", "urgent")
SETTINGS = (
    {"fallible": True},
    {"fallible": False},
    {"pick": "always"},
    {"pick": "never"},
    {"pick": "auto"},
    {"overlap": 1.0},
    {"overlap": 0.0},
    {"stay": "item"},
    {"stay": "label"},
    {"gold_share": 0.5},
)
people = st.sampled_from(("ann", "ben", "mara"))
items = st.sampled_from(("a", "b"))
labels = st.sampled_from(LABELS)
numbers = st.integers(0, 30)
_names = count()


class Happenings(RuleBasedStateMachine):
    """A campaign of two items, to which anything happens."""

    def __init__(self):
        super().__init__()
        self._folder = TemporaryDirectory()
        self.path = Path(self._folder.name) / "any.sqlite"
        self.campaign = None

    @initialize(fallible=st.booleans())
    def make(self, fallible):
        things = [Item("a", text="card gone"), Item("b", text="cash machine kept it")]
        self.campaign = Campaign.create(
            self.path,
            things,
            co.Ontology.parse(BANK),
            name="any",
            settings={"fallible": fallible, "retrain_every": 10**6},
            lead="mara",
        )
        for name in ("ann", "ben"):
            self.campaign.invite(name)

    def _try(self, act, *args, **options):
        """Do it, or be told why not."""
        try:
            act(*args, **options)
        except co.CorollaryError as refused:
            assert str(refused)

    @rule(
        who=people,
        item=items,
        label=labels,
        value=st.sampled_from((True, False, "cant_tell", "skip")),
    )
    def answers(self, who, item, label, value):
        self._try(self.campaign.answer, who, item, label, value)

    @rule(who=people, item=items, names=st.lists(labels, max_size=2, unique=True))
    def picks(self, who, item, names):
        self._try(self.campaign.answer, who, item, None, names)

    @rule(who=people, n=numbers)
    def answers_what_is_asked(self, who, n):
        for asking in self.campaign.next(who, 1):
            ends = [label for label in asking.options if label in asking.ends]
            value = (
                bool(n % 2)
                if asking.label is not None
                else ends[n % len(ends) :][:1]
                if ends
                else []
            )
            self._try(
                self.campaign.answer, who, asking.item.id, asking.label, value, lease=asking.id
            )

    @rule(who=people, n=numbers)
    def undoes(self, who, n):
        self._try(self.campaign.undo, who, n if n else None)

    @rule(item=items, label=labels, value=st.booleans(), n=numbers)
    def decides(self, item, label, value, n):
        self._try(
            self.campaign.decide, "mara", item, label, value, reject=[n] if n % 3 == 1 else []
        )

    @rule(item=items, label=labels, value=st.booleans())
    def makes_gold(self, item, label, value):
        self._try(self.campaign.gold, "mara", item, label, value)

    @rule(item=items, label=labels, value=st.booleans())
    def brings_facts(self, item, label, value):
        self._try(self.campaign.add, "mara", (), [(item, label, value)])

    @rule(label=labels, value=st.booleans())
    def answers_for_both_items(self, label, value):
        self._try(self.campaign.answer_all, "mara", ["a", "b"], label, value)

    @rule()
    def undoes_a_group(self):
        told = [
            event.detail
            for event in self.campaign.state.events
            if event.detail and "group" in event.detail
        ]
        for detail in told[-1:]:
            self._try(self.campaign.undo_all, "mara", detail["group"])

    @rule(portable=st.booleans())
    def goes_on_from_a_backup(self, portable):
        n = next(_names)
        copy, restored = (
            self.path.with_name(f"{n}{'.jsonl.gz' if portable else '.bak'}"),
            self.path.with_name(f"{n}.sqlite"),
        )
        facts = self.campaign.state.facts
        self.campaign.backup(copy)
        self.campaign.close()
        restore(copy, restored)
        self.path, self.campaign = restored, Campaign.open(restored)
        assert (self.campaign.state.facts == facts).all()

    @rule()
    def adds_an_item(self):
        self._try(self.campaign.add, "mara", [Item(f"new {next(_names)}", text="fee")])

    @rule(who=people, n=numbers)
    def doubts(self, who, n):
        self._try(self.campaign.doubt, who, n)

    @rule(who=people, item=items)
    def flags(self, who, item):
        self._try(self.campaign.flag, who, item, reason="text")

    @rule(item=items, back=st.booleans())
    def withdraws(self, item, back):
        self._try(self.campaign.bring_back if back else self.campaign.withdraw, [item], who="mara")

    @rule(item=items, label=labels, p=st.floats(0, 1))
    def a_machine_reports(self, item, label, p):
        self._try(self.campaign.report, "mara", "machine", [(item, label, p)])

    @rule(text=st.sampled_from(ONTOLOGIES))
    def changes_the_ontology(self, text):
        self._try(self.campaign.change_ontology, "mara", text)

    @rule(changes=st.sampled_from(SETTINGS))
    def changes_settings(self, changes):
        self._try(self.campaign.change_settings, "mara", changes)

    @invariant()
    def opens_again_and_is_the_same(self):
        if self.campaign is None:
            return
        self.campaign.close()
        self.campaign = Campaign.open(self.path)
        assert self.campaign.trouble is None
        assert self.campaign.verify(step_by_step=True, train=False) == []
        state = self.campaign.state
        assert (state.onto.propagate(state.facts) == state.facts).all()

    def teardown(self):
        if self.campaign is not None:
            self.campaign.close()
        self._folder.cleanup()


TestHappenings = Happenings.TestCase
TestHappenings.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


@pytest.mark.parametrize("fallible", [True, False])
def test_a_label_that_moves_to_another_group_leaves_picks_true(tmp_path, fallible):
    path = tmp_path / "moved.sqlite"
    options = {"fallible": fallible, "retrain_every": 10**6}
    campaign = Campaign.create(
        path, [{"id": "0", "text": "a"}], co.Ontology.parse(BANK), name="bank", settings=options
    )
    campaign.answer("lead", "0", None, ["swallowed"])
    preview = campaign.preview_ontology(ONTOLOGIES[1])
    assert (preview.breaks, preview.refused) == ((), ())
    campaign.change_ontology("lead", ONTOLOGIES[1])
    campaign.change_settings("lead", {"fallible": not fallible})
    campaign.close()
    campaign = Campaign.open(path)
    known = campaign.state.known_of("0")
    assert {label for label, value in known.items() if value} == {"swallowed", "cards"}
    assert campaign.conflicts() == []
    assert campaign.progress()["answered"] == 1
    campaign.close()
