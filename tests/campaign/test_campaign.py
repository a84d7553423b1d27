"""A campaign: people asked and answering, a lead deciding, everything there again after it was opened anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import Event
from corollary.campaign.items import Item
from corollary.campaign.people import NotAllowed
from corollary.campaign.progress.progress import Figures
from corollary.campaign.storage.errors import StoreError
from corollary.campaign.storage.writer import Writer

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
WORDS = ("feather wing", "fin water", "fur milk", "street house", "bank flow")
TRUTH = ("bird", "fish", "mammal", "city", "river")


DEEDS = ("yes", "no", "cant_tell", "skip", "undo", "flag", "late")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    """Makes campaigns that are closed in the end; `make.again` opens one anew."""
    opened = []

    def create(n=20, *, onto=TEXT, people=("ann", "ben"), **options):
        items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(n)]
        path = tmp_path / f"{len(opened)}.sqlite"
        options = {"retrain_every": 10**6} | options
        campaign = Campaign.create(
            path, items, co.Ontology.parse(onto), name="test", settings=options, lead="mara", clock=clock
        )
        opened.append(campaign)
        campaign.path = path
        for name in people:
            campaign.invite(name)
        return campaign

    def again(campaign):
        path = campaign.path
        campaign.close()
        fresh = Campaign.open(path, clock=clock)
        fresh.path = path
        opened.append(fresh)
        return fresh

    create.again = again
    yield create
    for campaign in opened:
        campaign.close()


def true_answer(item, label):
    what = TRUTH[int(item[1:]) % 5]
    kind = "animal" if what in TRUTH[:3] else "place"
    return label in (what, kind)


def test_an_answer_settles_and_tells_why(make):
    campaign = make(seed=4)
    (asking,) = campaign.next("ann")
    assert asking.text == f"Is “{asking.item.text}” an animal?"
    reply = campaign.answer("ann", asking.item.id, asking.label, True, lease=asking.id, seconds=1.5)
    assert {(s.label, s.value) for s in reply.settled} == {
        ("animal", True),
        *((l, v) for l, v in asking.if_yes.items()),
    }
    why = next(s.why for s in reply.settled if s.label == "city")
    assert "animal is yes (answered)" in str(why)
    assert reply.counts["saved"] == reply.counts["settled"] - reply.counts["asked"] == len(reply.settled) - 1
    assert not reply.second_opinion
    assert reply.conflict is None
    told = campaign.explain(asking.item.id, "city")
    assert told.value is False
    assert [opinion.who for opinion in told.opinions] == ["ann"]


def test_an_item_is_with_one_person_at_a_time(make, clock):
    campaign = make(6)
    mine, theirs = campaign.next("ann", 3), campaign.next("ben", 5)
    assert len({a.item.id for a in mine} | {a.item.id for a in theirs}) == 6
    assert len(mine) == len(theirs) == 3
    assert [a.id for a in campaign.next("ann", 3)] == [a.id for a in mine]  # a reload gets the same
    assert campaign.situation("ben")["state"] == "asking"
    campaign.invite("cem")
    assert campaign.next("cem") == []
    told = campaign.situation("cem")
    assert (told["state"], told["with_others"], told["others"]) == ("waiting", 6, ["ann", "ben"])
    clock.now += 200
    campaign.renew("ben", [a.id for a in theirs])
    clock.now += 150  # ann's have run out
    assert {a.item.id for a in campaign.next("cem", 6)} == {a.item.id for a in mine}
    assert campaign.release("ben", [theirs[0].id]) == 1
    assert campaign.next("ann")[0].item.id == theirs[0].item.id


def test_an_answer_after_the_lease_ran_out_is_taken(make, clock):
    campaign = make(1)
    (first,) = campaign.next("ann")
    clock.now += 1000
    (second,) = campaign.next("ben")
    assert (first.item, first.label) == (second.item, second.label)
    assert not campaign.answer("ben", "i0", second.label, True, lease=second.id).second_opinion
    late = campaign.answer("ann", "i0", first.label, True, lease=first.id)
    assert late.second_opinion
    assert late.settled == ()
    assert late.conflict is None


def test_leases_survive_a_restart(make):
    campaign = make(4)
    held = campaign.next("ann", 2)
    campaign = make.again(campaign)
    assert {a.item.id for a in campaign.next("ben", 4)}.isdisjoint(a.item.id for a in held)
    assert {a.id for a in campaign.next("ann", 2)} == {a.id for a in held}


def test_the_same_key_counts_once(make):
    campaign = make()
    first = campaign.answer("ann", "i0", "bird", True, key="k")
    again = campaign.answer("ann", "i0", "bird", True, key="k")
    assert again is first
    assert campaign.state.seq == 1
    with pytest.raises(co.CorollaryError, match="was used for something else"):
        campaign.undo("ann", key="k")
    campaign = make.again(campaign)
    assert campaign.answer("ann", "i0", "bird", True, key="k").seq == 1
    assert campaign.state.seq == 1


def test_a_clash_is_stored_told_and_decided(make):
    campaign = make()
    campaign.answer("ann", "i0", "fish", True)
    reply = campaign.answer("ben", "i0", "bird", True)
    assert reply.conflict.kind == "clash"
    assert {o.who for o in reply.conflict.opinions} == {"ann", "ben"}
    assert {label for label, _ in reply.opened} >= {"fish", "animal"}
    campaign.doubt("ben", reply.seq, rules=["exclusive: bird, fish"], note="hm")
    (case,) = campaign.conflicts()
    assert case.item == "i0"
    assert case.doubts[0].detail["note"] == "hm"
    assert all(a.item.id != "i0" for a in campaign.next("ann", 20))
    with pytest.raises(NotAllowed, match="only a lead"):
        campaign.decide("ben", "i0", "bird", True)
    done = campaign.decide("mara", "i0", "bird", True, note="it flies")
    assert done.conflict is None
    assert campaign.conflicts() == []
    assert campaign.marked() == []
    assert campaign.state.known_of("i0")["fish"] is False
    with pytest.raises(co.Contradiction):
        campaign.decide("mara", "i0", "animal", False)
    assert campaign.verify(step_by_step=True) == []


def test_undo_takes_back_what_followed(make):
    campaign = make()
    before = campaign.state.facts.copy()
    reply = campaign.answer("ann", "i3", "bird", True)
    undone = campaign.undo("ann")
    assert undone.undone.seq == reply.seq
    assert {label for label, _ in undone.opened} == {s.label for s in reply.settled}
    np.testing.assert_array_equal(campaign.state.facts, before)
    with pytest.raises(co.CorollaryError, match="nothing to undo"):
        campaign.undo("ann")
    with pytest.raises(co.CorollaryError, match="taken back already"):
        campaign.undo("ann", reply.seq)
    theirs = campaign.answer("ben", "i3", "bird", True)
    with pytest.raises(NotAllowed, match="not yours"):
        campaign.undo("ann", theirs.seq)
    campaign.undo("mara", theirs.seq)
    assert [one.stands for one in campaign.history("ann")] == [False]
    np.testing.assert_array_equal(campaign.state.facts, before)


def test_a_blind_second_opinion_shows_and_tells_nothing(make):
    campaign = make(1, onto="bird > robin", overlap=1.0)
    (first,) = campaign.next("ann")
    campaign.answer("ann", "i0", first.label, False, lease=first.id)
    (second,) = campaign.next("ben")
    assert (second.label, second.if_yes, second.if_no) == (first.label, first.if_yes, first.if_no)
    assert second.place == first.place
    reply = campaign.answer("ben", "i0", second.label, True, lease=second.id)
    assert reply.conflict is None  # the lead sees it
    assert campaign.conflicts()[0].conflict.kind == "disagreement"


def test_a_reply_about_the_whole_item(make):
    campaign = make(2, item_cost=1.0)
    (asking,) = campaign.next("ann")
    assert asking.label is None
    assert set(asking.options) == set(campaign.state.onto.labels)
    reply = campaign.answer("ann", asking.item.id, None, ["bird"], lease=asking.id)
    assert reply.item_done
    assert campaign.state.known_of(asking.item.id) == {
        label: label in ("bird", "animal") for label in campaign.state.onto.labels
    }
    with pytest.raises(co.Contradiction):
        campaign.answer("ann", "i1", None, ["bird", "fish"])
    assert campaign.state.seq == 1


def test_gold_counts_right_and_wrong(make):
    campaign = make(3, gold_share=1.0)
    campaign.gold("mara", "i1", "fish", True)
    for who, value in (("ann", True), ("ben", False)):
        (asking,) = campaign.next(who)
        assert (asking.item.id, asking.label) == ("i1", "fish")
        assert campaign.answer(who, "i1", "fish", value, lease=asking.id).conflict is None
    figures = {one["name"]: (one["gold_right"], one["gold_wrong"]) for one in campaign.people()}
    assert figures == {"ann": (1, 0), "ben": (0, 1), "mara": (0, 0)}


def test_gold_is_not_asked_of_an_item_that_conflicts(make):
    campaign = make(1, gold_share=1.0)
    campaign.gold("mara", "i0", "place", False)
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ben", "i0", "bird", False)
    assert campaign.next("ann") == []
    assert campaign.situation("ann")["state"] == "waiting"
    campaign.decide("mara", "i0", "bird", True)
    assert [(one.item.id, one.label) for one in campaign.next("ann")] == [("i0", "place")]


def test_bad_answers_are_refused_and_leave_no_trace(make):
    campaign = make()
    for item, label, value in (("x", "bird", True), ("i0", "brid", True), ("i0", "bird", 3), ("i0", None, True)):
        with pytest.raises(co.CorollaryError):
            campaign.answer("ann", item, label, value)
    with pytest.raises(co.CorollaryError, match="nobody is called 'zoe'"):
        campaign.answer("zoe", "i0", "bird", True)
    campaign.revoke("ben")
    with pytest.raises(NotAllowed, match="no longer takes part"):
        campaign.next("ben")
    assert campaign.state.seq == 0
    assert campaign.verify() == []


def test_tokens_and_roles(make):
    campaign = make()
    token = campaign.invite("ann")
    assert campaign.authenticate(token).name == "ann"
    assert campaign.authenticate("guess") is None
    again = make.again(campaign)
    assert again.authenticate(token).name == "ann"
    again.revoke("ann")
    assert again.authenticate(token) is None
    with pytest.raises(co.CorollaryError, match="the only lead"):
        again.revoke("mara")
    again.invite("rita", "reader")
    with pytest.raises(NotAllowed, match="may read"):
        again.answer("rita", "i0", "bird", True)


def test_paused_people_are_asked_nothing(make):
    campaign = make()
    campaign.pause("ann", who="mara")
    assert campaign.next("ann") == []
    assert campaign.situation("ann")["state"] == "paused"
    assert campaign.next("ben")
    campaign.pause(who="mara")
    assert campaign.next("ben") == []
    campaign.answer("ann", "i0", "bird", True)  # what was on its way is taken
    campaign = make.again(campaign)
    campaign.resume(who="mara")
    assert campaign.next("ben")
    assert campaign.next("ann") == []


def test_a_changed_ontology(make):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i0", "city", False)
    campaign.answer("ben", "i1", "river", True)
    text = "animal > exclusive: bird, fish\nplace > city, river\nrule: river >> ~place | bird\nrule: bird >> flies"
    told = campaign.preview_ontology(text)
    assert told.added == ("flies",)
    assert told.removed == ("mammal",)
    assert [item for item, _ in told.breaks] == []
    campaign.change_ontology("mara", text)
    assert campaign.state.known_of("i0")["flies"] is True
    assert campaign.state.known_of("i1")["bird"] is True
    campaign.decide("mara", "i0", "bird", True)
    campaign.decide("mara", "i0", "flies", True)
    with pytest.raises(co.CorollaryError, match="undo them, or change it. The first is item 'i0'"):
        campaign.change_ontology("mara", "exclusive: bird, flies")
    broken = campaign.preview_ontology("rule: ~river\nanimal > bird")
    assert [item for item, _ in broken.breaks] == ["i1"] or broken.breaks == ()
    again = make.again(campaign)
    assert again.state.version == 2
    assert again.verify(step_by_step=True) == []


def test_more_items_and_known_labels_come_together(make):
    campaign = make(3)
    campaign.answer("ann", "i0", "bird", True)
    more = [Item("n1", text="new one"), Item("n2", text="new two")]
    with pytest.raises(co.CorollaryError, match="'n3', which is not there"):
        campaign.add("mara", more, [("n3", "bird", True)])
    assert campaign.state.seq == 1
    campaign.add("mara", more, [("n1", "bird", True), ("i1", "fish", True)])
    assert campaign.state.known_of("n1")["animal"] is True
    counts = campaign.progress()
    assert (counts["items"], counts["imported"], counts["asked"]) == (5, 2, 1)
    assert counts["saved"] == counts["settled"] - 3
    again = make.again(campaign)
    assert again.verify(step_by_step=True) == []
    assert {a.item.id for a in again.next("ann", 9)} == {"i2", "n2"}


def test_the_curve_ends_where_the_counts_are(make):
    campaign = make()
    campaign.answer("ann", "i0", "animal", True)
    campaign.answer("ann", "i0", "bird", "skip")
    campaign.answer("ann", "i1", "fish", "cant_tell")
    campaign.answer("ben", "i2", "river", True)
    campaign.undo("ben")
    curve = Figures(campaign).get()["curve"]
    assert (curve["asked"], curve["settled"]) == ([0, 1, 2], [0, 4, 4])
    campaign.answer("ben", "i0", "bird", True)
    curve = Figures(campaign).get()["curve"]
    assert (curve["asked"][-1], curve["settled"][-1]) == (3, campaign.progress()["settled"])
    assert Figures(make.again(campaign)).get()["curve"] == curve


def test_labels_that_were_brought_along_are_learnt_from_before_anybody_answers(make):
    campaign = make(4, learner="logistic")
    campaign.answer("ann", "i0", "bird", True)
    assert not make.again(campaign).progress()["training"]["training"]
    campaign = make(4, learner="logistic")
    campaign.add("mara", facts=[("i0", "bird", True), ("i3", "city", True)])
    campaign = make.again(campaign)  # before the training came to its end
    assert campaign.progress()["training"]["training"]
    assert campaign.retrain(wait=True)["error"] is None
    assert campaign.progress()["model"] >= 1
    assert not make.again(campaign).progress()["training"]["training"]


def test_a_pause_says_since_when(make):
    campaign = make(people=("ann", "ben"))
    assert campaign.progress()["paused_since"] is None
    first = campaign.pause("ann", who="mara")
    campaign.pause("ann", who="mara")  # once more changes nothing
    assert campaign.state.paused_since("ann") == first.at
    assert campaign.state.paused_since("ben") is None
    everybody = campaign.pause(who="mara")
    assert campaign.progress()["paused_since"] == campaign.state.paused_since("ben") == everybody.at
    assert campaign.state.paused_since("ann") == first.at
    assert campaign.next("ben") == []
    campaign.resume(who="mara")
    assert campaign.progress()["paused_since"] is None
    assert campaign.next("ben")


def test_people_may_stay_on_a_label_each_on_their_own(make):
    campaign = make(8, onto="exclusive: a, b\nexclusive: c, d", stay="label")
    for who, label in (("ann", "b"), ("ben", "d")):
        campaign.answer(who, "i7", label, False)
    for _ in range(2):
        for who, label in (("ann", "b"), ("ben", "d")):
            (asking,) = campaign.next(who)
            assert asking.label == label
            campaign.answer(who, asking.item.id, label, False, lease=asking.id)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lease_seconds", 1e12),
        ("lease_seconds", 1e-9),
        pytest.param("lease_seconds", 10**400, id="lease_seconds of 400 digits"),
        ("item_cost", 1e300),
        ("opinions", 2**30),
        ("retrain_every", 2**40),
        pytest.param("overlap", 10**5000, id="overlap of 5,000 digits"),
    ],
)
def test_numbers_out_of_bounds_are_refused_and_told(make, name, value):
    campaign = make(2)
    with pytest.raises(co.CorollaryError, match=f"{name}.* must be"):
        campaign.change_settings("mara", {name: value})
    assert campaign.next("mara")


def test_a_log_with_a_setting_from_before_there_were_bounds_is_read(make):
    campaign = make(2)
    with campaign.lock:
        ticket = campaign._ledger.put(Event(kind="settings", who="mara", detail={"lease_seconds": 1e12}))
    ticket.receipt.wait()
    assert make.again(campaign).next("mara")


def test_settings_are_checked_and_take_effect(make):
    campaign = make()
    with pytest.raises(co.CorollaryError, match="no setting 'overlop'; did you mean 'overlap'"):
        campaign.change_settings("mara", {"overlop": 1})
    with pytest.raises(co.CorollaryError, match="'overlap' must be a number from 0 to 1, got 2"):
        campaign.change_settings("mara", {"overlap": 2})
    session = campaign.state.session
    campaign.change_settings("mara", {"show_names": True})
    assert campaign.state.session is session
    campaign.change_settings("mara", {"item_cost": 1.0, "labels": {"bird": {"question": "Does {item} fly?"}}})
    assert campaign.next("ann")[0].label is None
    campaign = make.again(campaign)
    assert campaign.settings.show_names
    campaign.change_settings("mara", {"item_cost": None})
    asked = campaign.next("ann", 20)
    assert len(asked) == 20
    assert None not in {a.label for a in asked}
    assert campaign.verify(step_by_step=True) == []


def test_looking_up(make):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True, seconds=2.0)
    view = campaign.item("i0")
    assert view.values["bird"] == (True, "asked")
    assert view.values["animal"] == (True, "implied")
    assert campaign.item("i1").values["bird"] == (None, None)
    assert [item.id for item in campaign.items(query="STREET", limit=2)] == ["i3", "i8"]
    assert [item.id for item in campaign.items(query="street", after="i8")] == ["i13", "i18"]
    by_label = {one["label"]: one for one in campaign.labels()}
    assert (by_label["animal"]["yes"], by_label["animal"]["asked_yes"], by_label["bird"]["asked_yes"]) == (1, 0, 1)
    assert campaign.explain("i1", "bird").value is None
    assert co.Ontology.parse(campaign.ontology_text) == co.Ontology.parse(TEXT)
    with pytest.raises(co.CorollaryError, match="no item 'x'"):
        campaign.item("x")


def test_a_failed_write_leaves_memory_as_the_log_is(make, monkeypatch):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    facts = campaign.state.facts.copy()
    (asking,) = campaign.next("ben")
    transact = Writer._transact

    def fail(self, change):
        raise OSError("the disk is full")

    monkeypatch.setattr(Writer, "_transact", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        campaign.answer("ben", asking.item.id, asking.label, True, key="lost")
    monkeypatch.setattr(Writer, "_transact", transact)
    np.testing.assert_array_equal(campaign.state.facts, facts)
    assert campaign.next("ben")[0].label == asking.label
    reply = campaign.answer("ben", asking.item.id, asking.label, True, key="lost")
    assert reply.seq == 2
    assert reply.settled
    assert campaign.verify() == []


def test_many_people_at_once(make):
    people = [f"p{n}" for n in range(6)]
    campaign = make(30, people=people, overlap=0.2)
    held, lock, twice = {}, Lock(), []

    def work(who):
        given = 0
        while asked := campaign.next(who, 2):
            for asking in asked:
                with lock:
                    if held.setdefault(asking.item.id, who) != who:
                        twice.append(asking)
            for asking in asked:
                with lock:
                    held.pop(asking.item.id, None)
                key = f"{who}-{given}"
                campaign.answer(who, asking.item.id, asking.label, true_answer(asking.item.id, asking.label), key=key)
                given += 1
        return given

    with ThreadPoolExecutor(len(people)) as pool:
        given = sum(pool.map(work, people))
    assert not twice
    assert campaign.state.seq == given
    while any(campaign.next(who) for who in people):  # some may have left while an item was with another
        sum(map(work, people))
    assert campaign.state.tally.open == 0
    assert campaign.conflicts() == []
    for item in campaign.state.ids:
        assert all(value == true_answer(item, label) for label, value in campaign.state.known_of(item).items())
    assert campaign.verify(step_by_step=True) == []
    assert campaign.progress()["second_opinions_due"] == 0


def test_training_goes_on_while_people_answer_and_is_there_again(make):
    campaign = make(40, retrain_every=5, learner="logistic")
    for n in range(8):
        (asking,) = campaign.next("ann")
        campaign.answer("ann", asking.item.id, asking.label, true_answer(asking.item.id, asking.label))
        if n == 4:
            assert campaign.progress()["training"]["training"]
    status = campaign.retrain(wait=True)
    assert status["error"] is None
    assert campaign.state.model.detail["upto"] >= 8
    beliefs = campaign.state.session.beliefs
    assert len(np.unique(beliefs)) > 10
    assert campaign.next("ann")[0].model == campaign.state.model.value
    assert campaign.verify(step_by_step=True) == []
    version = campaign.state.model.value
    campaign = make.again(campaign)
    np.testing.assert_array_equal(campaign.state.session.beliefs, beliefs)
    campaign._live.store.forget_models()
    campaign = make.again(campaign)  # without the kept beliefs they are made again
    np.testing.assert_array_equal(campaign.state.session.beliefs, beliefs)
    assert campaign.state.model.value == version


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(("ann", "ben")), st.sampled_from(DEEDS)), max_size=25))
def test_whatever_people_do_the_log_gives_the_same(make, story):
    campaign = make(4, overlap=0.5, item_cost=None)
    for who, what in story:
        asked = campaign.next(who)
        if what == "undo":
            if any(one.stands for one in campaign.history(who)):
                campaign.undo(who)
        elif what == "late":
            campaign.answer(who, "i0", "bird", who == "ann")
        elif asked and what == "flag":
            campaign.flag(who, asked[0].item.id, asked[0].label, reason="text")
        elif asked:
            value = {"yes": True, "no": False}.get(what, what)
            campaign.answer(who, asked[0].item.id, asked[0].label, value, lease=asked[0].id)
    assert campaign.verify(step_by_step=True) == []
    facts, tally = campaign.state.facts.copy(), campaign.state.tally
    campaign = make.again(campaign)
    np.testing.assert_array_equal(campaign.state.facts, facts)
    assert campaign.state.tally == tally
