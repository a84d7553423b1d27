"""Who is asked a second opinion, a gold question, or what another could not tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.live.next_question import base_of, choose
from corollary.campaign.live.replies import seen_by
from corollary.campaign.settings import Settings
from corollary.campaign.state.second_opinions import WaitingCells, share
from corollary.campaign.state.state import State

from .stories import ONTOLOGIES, answered, made


def test_second_opinions_are_due_for_a_share_and_never_from_the_same_person():
    ids = [f"i{n}" for n in range(400)]
    state = State(ids, ONTOLOGIES, settings=Settings(overlap=0.25, seed=3))
    for item in ids:
        answered(state, "ann", item, "city", False)
    due = state.waiting.second.cells()
    assert {item for item, _ in due} == {item for item in ids if share(3, item, "city") < 0.25}
    assert 60 < len(due) < 140
    assert choose(state, "ann", 0)[1] != "city"
    item, label = choose(state, "ben", 0)
    assert (item, label) == due[0]
    assert (
        base_of(state, item, label, seen_by(state, None, item, asked=label))[
            state.onto.index["city"]
        ]
        < 0
    )  # blind
    answered(state, "ben", item, label, False)
    assert (item, label) not in state.waiting.second.cells()
    answered(state, "ben", due[1][0], "city", True)
    assert state.standing_of(due[1][0]).conflicts[0].kind == "disagreement"
    assert choose(state, "cem", 0) not in due[:2]  # an item in conflict is not asked
    assert state.session.ask(1)[0].item != due[1][0]


def test_cannot_tell_goes_to_someone_else_once_and_then_to_the_lead():
    state = State(["i"], {1: co.Ontology(["a"])})
    answered(state, "ann", "i", "a", "cant_tell")
    assert choose(state, "ann", 0) is None
    assert choose(state, "ben", 0) == ("i", "a")
    answered(state, "ben", "i", "a", "cant_tell")
    assert choose(state, "cem", 0) is None
    assert state.waiting.puzzling.cells() == [("i", "a")]
    state.apply(made("decision", state, item="i", label="a", value=True))
    assert state.waiting.puzzling.cells() == []


def test_what_was_skipped_comes_back_at_the_end():
    state = State(["i", "j"], {1: co.Ontology(["a"])})
    answered(state, "ann", "i", "a", "skip")
    assert choose(state, "ann", 1) == ("j", "a")
    answered(state, "ann", "j", "a", True)
    assert choose(state, "ann", 2) == ("i", "a")
    assert choose(state, "ben", 0) == ("i", "a")
    assert state.tally.asked == 1


def test_gold_is_asked_at_its_share_and_counts_as_decided():
    state = State(
        [f"i{n}" for n in range(50)],
        {1: co.Ontology(["a", "b"])},
        settings=Settings(gold_share=1.0),
    )
    state.apply(made("gold", state, item="i7", label="b", value=True))
    assert state.known_of("i7") == {"b": True}
    assert choose(state, "ann", 0) == ("i7", "b")
    answered(state, "ann", "i7", "b", False)
    assert state.known_of("i7") == {"b": True}
    assert not state.standing_of("i7").conflicts
    assert choose(state, "ann", 1) != ("i7", "b")
    assert choose(state, "ben", 0) == ("i7", "b")


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


PEOPLE = st.frozensets(st.sampled_from(("ann", "ben")))
CELLS = st.dictionaries(st.sampled_from((None, "a", "b")), PEOPLE, max_size=3)


@given(
    st.lists(st.tuples(st.sampled_from("ijk"), CELLS), max_size=12),
    st.sampled_from(("ann", "ben")),
    st.sampled_from("ijk"),
)
def test_the_longest_waiting_first(puts, who, taken):
    waiting, naive = WaitingCells(), {}  # naive: by cell since when it waits, and whom it concerns
    for seq, (item, cells) in enumerate(puts):
        waiting.put(item, cells, seq)
        naive = {cell: since for cell, since in naive.items() if cell[0] != item}
        naive |= {(item, label): (seq, people) for label, people in cells.items()}
    assert len(waiting) == len(naive)
    assert set(waiting.cells()) == set(naive)
    assert [naive[cell][0] for cell in waiting.cells()] == sorted(seq for seq, _ in naive.values())
    assert all(cell in waiting for cell in naive)
    assert ("l", None) not in waiting

    def wanted(people):
        return who not in people

    assert waiting.count(wanted) == sum(wanted(people) for _, people in naive.values())
    fitting = [
        seq for (item, _), (seq, people) in naive.items() if wanted(people) and item != taken
    ]
    first = waiting.first(wanted, lambda item: item != taken)
    if not fitting:
        assert first is None
    else:
        assert first is not None
        seq, people = naive[first]
        assert (seq, wanted(people), first[0] != taken) == (min(fitting), True, True)


def test_cells_that_wait_since_one_event_have_an_order_of_their_own():
    """Whatever was there before: or a list in memory would not be the one that the log gives."""
    both = {"a": frozenset({"mara"}), "b": frozenset({"ben"})}
    plain, other = WaitingCells(), WaitingCells()
    other.put("before", {"x": frozenset({"ben"})}, 1)
    other.put("gone", {"y": frozenset({"mara"})}, 2)
    for waiting in (plain, other):
        waiting.put("i", both, 3)
    other.put("before", {}, 4)
    other.put("gone", {}, 5)
    assert plain.cells() == other.cells() == [("i", "a"), ("i", "b")]
    assert plain.first(bool, bool) == other.first(bool, bool) == ("i", "a")
