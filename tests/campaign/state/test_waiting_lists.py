"""Cells that wait for certain people, against a plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.state.waiting_lists import WaitingCells

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
