"""Packed facts, against an array of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corollary.learning.packed_facts import ROWS_AT_ONCE, PackedFacts

SHAPES = st.tuples(st.integers(0, 5), st.integers(1, 11))
FACTS = SHAPES.flatmap(lambda shape: arrays(np.int8, shape, elements=st.integers(-1, 1)))


@given(FACTS, st.data())
def test_they_are_what_was_put(facts, data):
    n, k = facts.shape
    packed = PackedFacts.of(facts)
    np.testing.assert_array_equal(packed[:], facts)
    assert packed[:].dtype == np.int8
    assert (PackedFacts(n, k)[:] == -1).all()
    if not n:
        return
    twin, before = packed.copy(), facts.copy()
    some = st.integers(0, n - 1)
    for i, label, value in data.draw(
        st.lists(st.tuples(some, st.integers(0, k - 1), st.integers(-1, 1)))
    ):
        facts[i, label] = value
        packed.put(i, label, value)
    rows = np.array(data.draw(st.lists(some, unique=True)), np.int64)
    facts[rows] = facts[rows][:, ::-1]
    packed[rows] = facts[rows]
    facts[0] = -facts[0] * (facts[0] > 0)
    packed[0] = facts[0]
    np.testing.assert_array_equal(packed[:], facts)
    np.testing.assert_array_equal(packed[rows], facts[rows])
    np.testing.assert_array_equal(packed[n - 1], facts[n - 1])
    np.testing.assert_array_equal(twin[:], before)
    np.testing.assert_array_equal(twin.differ(facts), np.flatnonzero((before != facts).any(axis=1)))


def test_a_row_that_is_read_is_a_copy():
    packed = PackedFacts(1, 3)
    packed[0][1] = 1
    packed[:][0, 1] = 1
    assert packed[0].tolist() == [-1, -1, -1]


def test_a_cell_takes_two_bits_and_many_rows_go_in_parts():
    facts = np.random.default_rng(0).integers(-1, 2, (ROWS_AT_ONCE + 3, 8)).astype(np.int8)
    packed = PackedFacts.of(facts)
    assert packed.bytes.nbytes == facts.size // 4
    np.testing.assert_array_equal(packed[:], facts)
    other = facts.copy()
    other[[1, ROWS_AT_ONCE + 1], 2] += 2
    assert packed.differ(other).tolist() == [1, ROWS_AT_ONCE + 1]
