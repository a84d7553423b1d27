"""New releases: answers follow renamed, merged and replaced terms; nothing goes out of effect unlisted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import Event
from corollary.campaign.items import Item
from corollary.campaign.labels.label_moves import Moves
from corollary.campaign.live.ontology_update import plan, preview
from corollary.campaign.reading.verification import compare
from corollary.campaign.settings import Settings
from corollary.campaign.state.state import State
from corollary.logic.language.about import About, Retired

from ..state.stories import ITEMS, ONTOLOGIES, apply_step, made, stories

FIRST = co.Ontology.parse("animal > bird, crow, fish, worm, slug\nexclusive: bird, fish")
IDS = {label: f"Z:{k}" for k, label in enumerate(FIRST.labels)}
FIRST = co.Ontology(
    FIRST.labels, FIRST.constraints, about={label: About(id=key) for label, key in IDS.items()}
)
#: bird is renamed, crow merged into it; slug is replaced by fish, worm retired with a proposal.
SECOND = co.Ontology.parse("animal > avian, fish, eel\nexclusive: avian, fish")
SECOND = co.Ontology(
    SECOND.labels,
    SECOND.constraints,
    about={
        "animal": About(id=IDS["animal"]),
        "avian": About(id=IDS["bird"], alt_ids=(IDS["crow"],)),
        "fish": About(id=IDS["fish"]),
        "eel": About(id="Z:9"),
    },
    retired=[
        Retired(IDS["slug"], "slug", replaced_by=(IDS["fish"],)),
        Retired(IDS["worm"], "worm", consider=("Z:9",)),
    ],
)


@pytest.fixture
def zoo(tmp_path):
    def open_one(n=4, **options):
        items = [Item(f"i{k}", text=f"animal {k}") for k in range(n)]
        place = tmp_path / "zoo.sqlite"
        wanted = {"retrain_every": 10**6, **options}
        campaign = Campaign.create(place, items, FIRST, name="zoo", lead="mara", settings=wanted)
        opened.append(campaign)
        for name in ("ann", "ben"):
            campaign.invite(name)
        return campaign

    opened = []
    yield open_one
    for campaign in opened:
        campaign.close()


def listed(update):
    return {(one.item, one.label, one.value) for one in update.out_of_effect}


def test_answers_follow_and_the_rest_is_listed_with_the_reason(zoo):
    campaign = zoo(5)
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i1", "crow", True)
    campaign.answer("ann", "i2", "crow", False)
    campaign.answer("ann", "i4", "slug", True)
    campaign.answer("ann", "i3", "worm", True)
    campaign.answer("ann", "i3", "bird", False)
    before = campaign.state.facts.copy()
    told = campaign.preview_update(SECOND)
    assert np.array_equal(campaign.state.facts, before)  # nothing changed
    assert told.release.questions == {"worm": ("eel",)}
    assert told.change.added == ("eel",)
    assert told.change.removed == ("crow", "worm", "slug")
    assert listed(told) == {("i2", "crow", False), ("i3", "worm", True)}
    reasons = {one.label: one.reason for one in told.out_of_effect}
    assert reasons["crow"] == "merged into avian; a no to it is not a no to all of avian"
    assert reasons["worm"] == "retired; consider eel"
    assert (told.stay, told.follow) == (0, 4)
    event = campaign.update("mara", SECOND)
    assert campaign.state.known_of("i0") == {"animal": True, "avian": True, "fish": False}
    assert campaign.state.known_of("i1") == {"animal": True, "avian": True, "fish": False}
    assert campaign.state.known_of("i2") == {}
    assert campaign.state.known_of("i4") == {"animal": True, "avian": False, "fish": True}
    assert campaign.state.known_of("i3") == {"avian": False}
    assert campaign.settings.labels["avian"] == {"id": IDS["bird"]}
    assert campaign.verify(step_by_step=True) == []
    campaign.undo("mara", event.seq)
    assert np.array_equal(campaign.state.facts, before)
    assert campaign.state.onto == FIRST
    assert campaign.settings.labels["bird"] == {"id": IDS["bird"]}
    assert campaign.verify(step_by_step=True) == []


def test_a_lead_says_what_means_the_same(zoo):
    campaign = zoo()
    campaign.answer("ann", "i0", "worm", True)
    campaign.answer("ann", "i1", "worm", False)
    campaign.answer("ann", "i1", "crow", False)
    follow = {"worm": "eel", "crow": "avian"}
    assert campaign.preview_update(SECOND, follow=follow).out_of_effect == ()
    campaign.update("mara", SECOND, follow=follow)
    assert campaign.state.known_of("i0") == {"animal": True, "eel": True}
    assert campaign.state.known_of("i1") == {"eel": False, "avian": False}


def test_a_yes_to_the_narrower_goes_before_a_no_to_the_former_meaning(zoo):
    campaign = zoo()
    campaign.answer("ann", "i0", "crow", True)
    campaign.answer("ann", "i0", "bird", False)
    told = campaign.preview_update(SECOND)
    assert [(one.label, one.value, one.reason) for one in told.out_of_effect] == [
        ("bird", False, "the same person said yes to a label that is part of avian now")
    ]
    campaign.update("mara", SECOND)
    assert campaign.state.known_of("i0")["avian"]
    campaign.answer("ann", "i0", "avian", False)  # said of the wider meaning, so it counts
    assert campaign.state.known_of("i0") == {"avian": False}


def test_a_changed_mind_does_not_come_back(zoo):
    campaign = zoo()
    campaign.answer("ann", "i0", "crow", True)
    campaign.answer("ann", "i0", "crow", False)
    campaign.update("mara", SECOND)
    assert campaign.state.known_of("i0") == {}


def test_people_who_disagree_after_a_merge_are_listed(zoo):
    campaign = zoo()
    campaign.answer("ann", "i0", "crow", True)
    campaign.answer("ben", "i0", "bird", False)
    told = campaign.preview_update(SECOND)
    assert listed(told) == {("i0", "crow", True), ("i0", "bird", False)}
    assert all("People disagree" in one.reason for one in told.out_of_effect)
    assert [item for item, _ in told.change.breaks] == ["i0"]


def test_decisions_gold_and_unsure_answers_follow(zoo):
    campaign = zoo()
    campaign.decide("mara", "i0", "crow", True)
    campaign.gold("mara", "i1", "bird", False)
    campaign.answer("ann", "i2", "bird", "cant_tell")
    campaign.answer("ann", "i3", "worm", "cant_tell")
    assert listed(campaign.preview_update(SECOND)) == {("i3", "worm", "cant_tell")}
    campaign.update("mara", SECOND)
    assert campaign.state.known_of("i0")["avian"]
    assert campaign.state.known_of("i1") == {"avian": False}
    assert campaign.state.standing_of("i2").said.unsure == {"avian": ("ann",)}


def test_what_is_said_under_a_release_goes_back_with_its_undo(zoo):
    campaign = zoo()
    event = campaign.update("mara", SECOND)
    campaign.answer("ann", "i0", "avian", True)
    campaign.answer("ann", "i1", "eel", True)
    campaign.undo("mara", event.seq)
    assert campaign.state.known_of("i0") == {"animal": True, "bird": True, "fish": False}
    assert campaign.state.known_of("i1") == {}
    with pytest.raises(co.CorollaryError, match="taken back already"):
        campaign.undo("mara", event.seq)


def test_only_the_ontology_in_force_is_undone_and_only_by_a_lead(zoo):
    campaign = zoo()
    first = campaign.update("mara", SECOND)
    campaign.change_ontology("mara", "animal > avian, fish")
    with pytest.raises(co.CorollaryError, match="version 3 came later: undo that first"):
        campaign.undo("mara", first.seq)
    with pytest.raises(co.CorollaryError, match="only a lead"):
        campaign.undo("ann", first.seq)
    with pytest.raises(co.CorollaryError, match="lead"):
        campaign.update("ann", SECOND)


def test_answers_follow_through_several_releases_and_a_reopening(zoo, tmp_path):
    campaign = zoo()
    campaign.answer("ann", "i0", "crow", True)
    campaign.update("mara", SECOND)
    third = co.Ontology(
        ["animal", "Aves"], about={"animal": About(id="Z:0"), "Aves": About(id=IDS["bird"])}
    )
    campaign.update("mara", third)
    campaign.close()
    with Campaign.open(tmp_path / "zoo.sqlite") as again:
        assert again.state.known_of("i0") == {"Aves": True}
        assert again.verify(step_by_step=True) == []


def test_decisions_that_clash_refuse_a_release(zoo):
    campaign = zoo()
    campaign.decide("mara", "i0", "crow", True)
    campaign.decide("mara", "i0", "fish", True)
    with pytest.raises(co.CorollaryError, match="decisions about 1 items cannot be true"):
        campaign.update("mara", SECOND)
    assert campaign.state.onto == FIRST


@pytest.mark.slow
def test_a_thousand_answers_under_a_release_are_in_effect_or_listed(tmp_path):
    """The naive twin: every answer is looked up by itself in the state after the update."""
    rng = np.random.default_rng(0)
    n = 60
    labels = [f"t{k}" for k in range(n)]
    tree = [co.subsumes(f"t{(k - 1) // 3}", f"t{k}") for k in range(1, n)]
    old = co.Ontology(labels, tree, about={label: About(id=f"T:{label}") for label in labels})
    fate = dict.fromkeys(labels, "keep")
    leaves = labels[20:]
    for kind, some in zip(
        ("merge", "rename", "move", "retire"),
        np.array_split(rng.permutation(leaves), 4),
        strict=True,
    ):
        fate |= dict.fromkeys(some.tolist(), kind)
    kept = [label for label in labels if fate[label] in ("keep", "rename", "move")]
    called = {label: f"new {label}" if fate[label] == "rename" else label for label in kept}
    into = {x: "t0" for x in labels if fate[x] == "merge"}
    edges = [
        co.subsumes(called["t1" if fate[x] == "move" else f"t{(int(x[1:]) - 1) // 3}"], called[x])
        for x in kept[1:]
    ]
    about = {
        called[x]: About(
            id=f"T:{x}", alt_ids=tuple(f"T:{y}" for y, target in into.items() if target == x)
        )
        for x in kept
    }
    gone = [Retired(f"T:{x}", x) for x in labels if fate[x] == "retire"]
    new = co.Ontology([*called.values(), "fresh"], edges, about=about, retired=gone)
    items = [Item(f"i{k}") for k in range(200)]
    place = tmp_path / "big.sqlite"
    with Campaign.create(place, items, old, name="big", lead="mara") as campaign:
        said = []
        for k in range(200):
            leaf = leaves[int(rng.integers(len(leaves)))]
            truth = old.propagate({leaf: True})
            some = [leaf, *rng.choice(labels, 4, replace=False).tolist()]
            said += [(f"i{k}", label, truth.get(label, False)) for label in some]
        brought, typed = said[:500], said[500:]
        campaign.add("mara", facts=brought)
        for item, label, value in typed:
            campaign.answer("mara", item, label, value)
        before = campaign.state.facts.copy()
        update = campaign.preview_update(new)
        lost = listed(update)
        event = campaign.update("mara", new)
        after = campaign.state
        silent = []
        for item, label, value in {*said}:
            target = called.get(label) or (into.get(label) if value else None)
            holds = target is not None and after.known_of(item).get(target) == value
            if not holds and (item, label, value) not in lost:
                silent.append((item, label, value))
        assert len(said) == 1000
        assert silent == []
        assert Counter(one.reason.partition(";")[0] for one in update.out_of_effect).keys() == {
            "retired",
            "merged into t0",
        }
        yes_to_merged = {one for one in said if one[2] and fate[one[1]] == "merge"}
        assert yes_to_merged
        assert not yes_to_merged & lost
        campaign.undo("mara", event.seq)
        assert np.array_equal(campaign.state.facts, before)


# -- random releases -------------------------------------------------------------------------------------------------

TERMS = ("a", "b", "c", "d", "e")
PAIR = ("i", "j")
OLD = co.Ontology(TERMS, [co.subsumes("a", "b", "c"), co.exclusive("b", "c")])


@st.composite
def worlds(draw):
    """What people say of a few items, and a release that does anything to the terms."""
    kept = [t for t in TERMS if draw(st.booleans())] or ["a"]
    called = {t: draw(st.sampled_from([t, f"new {t}", *TERMS])) for t in kept}
    if len(set(called.values())) < len(kept):
        called = {t: t for t in kept}
    merged = {t: draw(st.sampled_from([None, *kept])) for t in TERMS if t not in kept}
    about = {
        called[t]: About(id=f"X:{t}", alt_ids=tuple(f"X:{m}" for m in merged if merged[m] == t))
        for t in kept
    }
    labels = list(called.values())
    rules = []
    if len(labels) > 1 and draw(st.booleans()):
        rules.append(draw(st.sampled_from([co.subsumes, co.exclusive]))(labels[0], labels[1]))
    new = co.Ontology([*labels, "fresh"], rules, about=about)
    cells = st.tuples(
        st.sampled_from(("ann", "ben")),
        st.sampled_from(PAIR),
        st.sampled_from(TERMS),
        st.sampled_from((True, True, False, "cant_tell")),
    )
    return new, draw(st.lists(cells, max_size=8)), draw(st.lists(cells, max_size=3))


@settings(deadline=None)
@given(worlds())
def test_nothing_is_lost_and_an_undo_restores_exactly(world):
    new, told, later = world
    about = {t: {"id": f"X:{t}"} for t in TERMS}
    state = State(PAIR, {1: OLD}, settings=Settings(labels=about))
    for who, item, label, value in told:
        state.apply(made("answer", state, who=who, item=item, label=label, value=value))
    before, standings, words = state.facts.copy(), dict(state.standings), state.settings
    update = plan(state, new)
    lost = listed(update)
    said = [
        (item, label, one.value, one.who)
        for item, standing in standings.items()
        for label, one in standing.effect.items()
    ]
    moves = Moves(update.release.same, update.release.wider)
    state.ontologies[2] = update.release.onto
    event = made("ontology", state, value=2, detail=update.detail(state.settings.labels))
    assert Event.from_json(event.to_json()) == event
    state.apply(event)
    for item, label, value, _ in said:
        target = moves.target(label) if value else moves.label(label)
        if value is False and target is None:
            target = moves.wider.get(label)
        in_effect = target in state.onto and state.known_of(item).get(target) == value
        assert in_effect != ((item, label, value) in lost)
    assert len(state.events) == len(told) + 1
    replayed = State(PAIR, state.ontologies, state.events, settings=Settings(labels=about))
    assert compare(state, replayed) == []
    for who, item, label, value in later:  # under the release, and taken along by the undo
        target = moves.target(label)
        if target in state.onto:
            state.apply(made("answer", state, who=who, item=item, label=target, value=value))
    n = state.seq
    state.apply(made("undo", state, refers=event.seq))
    assert state.settings == words
    if n == event.seq:
        assert np.array_equal(state.facts, before)
        assert state.standings == standings
    replayed = State(PAIR, state.ontologies, state.events, settings=Settings(labels=about))
    assert compare(state, replayed) == []


def clashing(state, item):
    return {(conflict.kind, conflict.opinions) for conflict in state.standing_of(item).conflicts}


@settings(max_examples=40)
@given(stories(), st.sampled_from((2, 3)))
def test_a_preview_tells_what_the_change_then_does(story, version):
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        if step[0] not in ("ontology", "settings"):
            apply_step(state, step)
    facts, conflicts = state.facts.copy(), {i: clashing(state, i) for i in ITEMS}
    old, new = state.onto, ONTOLOGIES[version]
    told = preview(state, new)
    np.testing.assert_array_equal(state.facts, facts)  # nothing changed
    assert state.version == 1
    event = made("ontology", state, value=version)
    if told.refused:
        with pytest.raises(co.Contradiction, match="decisions about item"):
            state.apply(event)
        return
    state.apply(event)
    settles = reopens = 0
    for i in range(len(ITEMS)):
        for label in set(old.labels) & set(new.labels):
            was, now = facts[i, old.index[label]], state.facts[i, new.index[label]]
            settles += now >= 0 and was != now
            reopens += was >= 0 and was != now
    assert (told.settles, told.reopens) == (settles, reopens)
    assert {item for item, _ in told.breaks} == {
        i for i in ITEMS if clashing(state, i) - conflicts[i]
    }
    assert set(told.mends) == {i for i in ITEMS if conflicts[i] and not clashing(state, i)}
    assert set(told.added) == set(new.labels) - set(old.labels)
