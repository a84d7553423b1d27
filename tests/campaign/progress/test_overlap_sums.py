"""Sums over items: what is added can be taken out again; votes as columns tell what votes one by one do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.progress.agreement import reliability
from corollary.campaign.progress.overlap_sums import Sums, Votes

ITEMS, PEOPLE = ("i", "j", "k"), ("cem", "ann", "ben")
cells = st.tuples(st.sampled_from(ITEMS), st.integers(0, 2))
votes = st.dictionaries(st.tuples(cells, st.sampled_from(PEOPLE)), st.booleans(), max_size=12)


def sums(n):
    made = Sums(2)
    made.add_pairs(np.array([n, 1]), np.array([1, 0]))
    made.add_judged({(0, n, 1): 2, (1, 1, 1): 1})
    made.add_people({"ann": np.full((2, 3), n), f"p{n}": np.ones((2, 3), np.int64)})
    return made


def told(made):
    return (
        made.pairs.tolist(),
        made.differ.tolist(),
        dict(made.judged),
        [one.tolist() for one in made.cells()],
    )


def test_what_is_added_can_be_taken_out_again():
    both = sums(2)
    both.add(sums(3))
    assert both.pairs.tolist() == [5, 2]
    assert both.judged[1, 1, 1] == 2
    assert both.people["ann"].tolist() == np.full((2, 3), 5).tolist()
    both.add(sums(3), times=-1)
    assert told(both) == told(sums(2))
    assert not both.people["p3"].any()


@given(votes, st.dictionaries(cells, st.booleans(), max_size=3), st.data())
def test_columns_of_votes_are_votes_one_by_one(said, truth, data):
    ordered = sorted((item, k, who, value) for ((item, k), who), value in said.items())
    apart = data.draw(st.sets(st.sampled_from(ITEMS)))
    numbers = [(ITEMS.index(i), k, PEOPLE.index(who), int(value)) for i, k, who, value in ordered]
    mixed = data.draw(st.permutations(numbers))
    columns = Votes(np.array(mixed, np.int64).reshape(-1, 4), ITEMS, PEOPLE).without(apart)
    found = columns.right([vote for vote in ordered if vote[0] in apart], truth, enough=1)
    units = sorted({(item, k) for item, k, _, _ in ordered})
    people = sorted({who for _, _, who, _ in ordered})
    certain = [int(truth.get(unit, -1)) for unit in units]
    of_unit, of_person = (
        [units.index(vote[:2]) for vote in ordered],
        [people.index(vote[2]) for vote in ordered],
    )
    expected = reliability(of_unit, of_person, [vote[3] for vote in ordered], certain).tolist()
    assert found == dict(zip(people, expected, strict=True))
