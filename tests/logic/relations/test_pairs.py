from __future__ import annotations

import pytest

import corollary as co


@pytest.mark.parametrize(
    ("head", "tail", "message"),
    [
        ([0, 1], [1], "of one length, got 2 and 1"),
        ([0, 2], [1, 2], "pair 1: head and tail are both item 2"),
        ([0, 1, 0], [1, 0, 1], r"pair 2 \(0, 1\) is the same as pair 0"),
        ([0, -1], [1, 0], "pair 1: its head is item -1; numbers of items begin at 0"),
        ([0.5], [1], "head must be the numbers of items"),
        ([[0], [1, 2]], [1, 2], "head must be the numbers of items.*lists of several lengths"),
    ],
)
def test_slips_have_their_place(head, tail, message):
    with pytest.raises(co.CorollaryError, match=message):
        co.Pairs(head, tail)


def test_pairs_have_a_length_and_may_be_none():
    assert repr(co.Pairs([0, 1], [1, 0])) == "<2 Pairs>"
    assert len(co.Pairs([], [])) == 0
