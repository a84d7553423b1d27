"""Who may still be asked blind learns nothing of it: no reply depends on what is hidden from them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.live.next_question import put_question
from corollary.campaign.live.replies import seen_by
from corollary.campaign.storage.records import Lease
from corollary.web.app import make_app

from ...fuzz.frame import examples
from ...web.conftest import Client, key

pytestmark = pytest.mark.slow

TEXT = """
animal > exclusive: bird, fish
exclusive: animal, plant
rule: bird & big >> rare
rule: ~(plant & big & rare)
"""
ONTO = co.Ontology.parse(TEXT)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("Ana", "Ben", "Chen", "gold", "Mara")),
        st.sampled_from(ONTO.labels),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda one: one[:2],
)
#: What says when or how often something was said, which is the same in any case.
ASIDE = ("seq", "refers", "at", "lease", "expires", "counts", "model")


def act(campaign, who, label, value):
    """One step; whether it was taken."""
    try:
        if who == "gold":
            campaign.gold("Mara", "it", label, value)
        elif who == "Mara":
            campaign.decide("Mara", "it", label, value)
        else:
            campaign.answer(who, "it", label, value)
    except co.CorollaryError:
        return False
    return True


class World:
    """A campaign of one item, and Ana, who calls its service."""

    def __init__(self, folder, steps, *, onto=ONTO, **settings):
        start = {
            "retrain_every": 10**6,
            "overlap": 1.0,
            "opinions": 3,
            "gold_share": 0.5,
            **settings,
        }
        self.campaign = Campaign.create(
            Path(folder) / f"{key()}.sqlite",
            [Item("it", text="a thing")],
            onto,
            name="t",
            lead="Mara",
            settings=start,
        )
        token = self.campaign.invite("Ana")
        for name in ("Ben", "Chen"):
            self.campaign.invite(name)
        self.labels = onto.labels
        self.taken = [act(self.campaign, *step) for step in steps]
        self.ana = Client(make_app(self.campaign, mode="team"), token)

    @property
    def hidden(self):
        seen = seen_by(self.campaign.state, "Ana", "it")
        return frozenset() if seen is None else seen.hidden

    @property
    def held(self):
        return self.campaign.state.standing_of("it").held

    def read(self):
        """All that Ana can read of the item."""
        got = [self.ana.get("/api/items/it"), self.ana.get("/api/history")]
        got += [
            self.ana.get("/api/explain", params={"item": "it", "label": label})
            for label in self.labels
        ]
        assert {one.status_code for one in got} == {200}
        refused = [
            self.ana.get(path)
            for path in ("/api/export", "/api/labels", "/api/log", "/api/conflicts")
        ]
        assert {one.status_code for one in refused} == {403}
        assert "by_label" not in self.ana.get("/api/progress").json()["figures"]
        return [bare(one.json()) for one in got]

    def say(self, label, value):
        """What Ana is told of an answer, and of taking it back."""
        body = {"key": key(), "item": "it", "label": label, "value": value}
        told = self.ana.post("/api/answers", json=body)
        undone = self.ana.post("/api/undo", json={"key": key()})
        return [bare(one.json()) for one in (told, undone)]


def bare(told):
    if isinstance(told, dict):
        return {name: bare(value) for name, value in told.items() if name not in ASIDE}
    return [bare(one) for one in told] if isinstance(told, list) else told


@examples(10)
@given(steps=STEPS, label=st.sampled_from(ONTO.labels), value=st.booleans(), data=st.data())
def test_nothing_that_ana_reads_depends_on_what_is_hidden_from_her(steps, label, value, data):
    with tempfile.TemporaryDirectory() as folder:
        one = World(folder, steps)
        others = [
            n
            for n, (who, what, _) in enumerate(steps)
            if what in one.hidden and who not in ("Ana", "Mara")
        ]
        assume(others and not one.held)
        n = data.draw(st.sampled_from(others))
        who, what, said = steps[n]
        other = World(folder, [*steps[:n], (who, what, not said), *steps[n + 1 :]])
        try:
            assume(one.taken == other.taken and not other.held and one.hidden == other.hidden)
            assert one.read() == other.read()
            assert one.say(label, value) == other.say(label, value)
            assert one.read() == other.read()
        finally:
            one.campaign.close()
            other.campaign.close()


@pytest.fixture
def gold(tmp_path):
    """Two worlds that differ in the answer to a gold question, and Ana is asked it."""
    worlds = [
        World(tmp_path, [("gold", "bird", value)], overlap=0.0, gold_share=1.0)
        for value in (True, False)
    ]
    yield worlds
    for world in worlds:
        world.campaign.close()


def test_a_gold_question_looks_like_any_other_before_and_after(gold, tmp_path):
    told = []
    plain = World(tmp_path, [], overlap=0.0)
    for world in (*gold, plain):
        if world is not plain:
            (asked,) = world.ana.post("/api/questions", json={"n": 1}).json()["questions"]
            assert (asked["label"], asked["known"]) == ("bird", [])
        told.append([*world.read(), *world.say("bird", True), *world.read()])
    plain.campaign.close()
    assert told[0] == told[1] == told[2]


def test_questions_beside_a_gold_one_do_not_show_it(gold):
    for world in gold:
        world.campaign.change_settings("Mara", {"gold_share": 0.0})
        (asked,) = world.ana.post("/api/questions", json={"n": 1}).json()["questions"]
        assert asked["label"] != "bird"
        assert asked["known"] == []
        marks = [*asked["place"]["path"], *asked["place"]["children"], *asked["place"]["siblings"]]
        assert {one["value"] for one in marks} <= {None}


KINDS = co.Ontology.parse("""
exactly one: mammal, bird, other
mammal > exclusive: bat, dog
bird > exclusive: owl, robin
""")
TEAMS = {
    "gold": ("gold", {}),
    "second opinion": ("Ben", {}),
    "gold where people can be wrong": ("gold", {"fallible": True}),
    "second opinion where people can be wrong": ("Ben", {"fallible": True}),
}


@pytest.fixture
def worlds(tmp_path):
    """Makes worlds in which people pick one of the kinds."""
    made = []

    def make(*steps, **settings):
        made.append(
            World(
                tmp_path,
                steps,
                onto=KINDS,
                pick="always",
                gold_share=0.0,
                learner="logistic",
                **settings,
            )
        )
        return made[-1]

    yield make
    for world in made:
        world.campaign.close()


def whole_question(world):
    """All that Ana sees of a question about the whole item: the question, its options by letters and by branch."""
    (asked,) = world.ana.post("/api/questions", json={"n": 1}).json()["questions"]
    assert asked["label"] is None
    found = [
        world.ana.get("/api/options", params={"item": "it", **how})
        for how in ({}, {"query": "o"}, {"under": ""})
    ]
    assert {one.status_code for one in found} == {200}
    return [
        asked["options"],
        *(bare({**one, "id": ""}) for one in (asked, *(one.json() for one in found))),
    ]


@pytest.mark.parametrize("trained", [False, True], ids=["untrained", "trained"])
@pytest.mark.parametrize("team", TEAMS)
def test_a_question_about_the_whole_item_is_the_same_whatever_is_hidden(team, trained, worlds):
    who, settings = TEAMS[team]
    told = []
    for value in (True, False):
        world = worlds((who, "mammal", value), **settings)
        if trained:
            world.campaign.retrain(wait=True)
        world.campaign.answer("Ana", "it", "mammal", "cant_tell")  # and is asked something else
        told.append([whole_question(world), world.say(None, ["owl"]), world.read()])
        assert set(told[-1][0][0]) == set(KINDS.labels)
    assert told[0] == told[1]


def test_a_pick_speaks_of_all_that_was_offered_with_it(worlds):
    world = worlds(("gold", "dog", False))
    whole_question(world)
    told = world.ana.post(
        "/api/answers", json={"key": key(), "item": "it", "label": None, "value": ["dog"]}
    )
    assert told.status_code == 200
    state = world.campaign.state
    assert (
        state.standing_of("it").said.opinions["dog"]["Ana"].value
    )  # the lead can compare it with gold
    assert state.known_of("it")["dog"] is False  # which is in effect


def test_which_labels_were_answered_is_the_same_whatever_is_hidden(tmp_path):
    told = []
    for value in (True, False):  # one of them puts what Ana said out of effect
        steps = [("Mara", "bird", False), ("Ana", "animal", True), ("Chen", "plant", value)]
        world = World(tmp_path, steps, fallible=True)
        state, live = world.campaign.state, world.campaign._live
        lease = Lease(id="1", item="it", label="fish", who="Ana", expires="2030-01-01")
        asking = put_question(state, live.places, live.items["it"], lease)
        told.append((asking.known, asking.answered))
        world.campaign.close()
    assert told[0] == told[1]


def test_what_others_said_shows_again_once_one_is_no_longer_asked(tmp_path):
    world = World(tmp_path, [("Ben", "bird", True)], opinions=2)
    hidden = {one["label"]: one["value"] for one in world.read()[0]["values"]}
    assert set(hidden.values()) == {None}
    world.campaign.answer("Ana", "it", "bird", True)
    shown = {one["label"]: one["value"] for one in world.read()[0]["values"]}
    assert (shown["bird"], shown["animal"], shown["fish"]) == (True, True, False)
    world.campaign.close()


def test_a_lead_and_a_reader_see_everything(lead, reader, campaign):
    campaign.gold("Mara", "thing 1", "Bird", True)
    values = {one["label"]: one["value"] for one in lead.get("/api/items/thing 1").json()["values"]}
    assert values["Bird"] is True
    assert reader.get("/api/export").status_code == reader.get("/api/labels").status_code == 200
