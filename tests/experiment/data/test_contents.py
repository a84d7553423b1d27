"""The truth of items from the names of their labels."""

from __future__ import annotations

import numpy as np
import pytest

from corollary import CorollaryError
from corollary.experiment.data.contents import truth_of

LABELS = ("bird", "fish", "red square")


def test_names_become_rows():
    found = truth_of(["bird@ red square", "", "fish@", "@"], LABELS, separator="@", file="x")
    assert found.dtype == np.int8
    assert found.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("brid", "x, row 1: unknown label 'brid'; did you mean 'bird'?"),
        ("bird;fish", "unknown label 'bird;fish'; if ';' joins the labels, pass separator=';'"),
        ("bird|red square", "if '|' joins the labels"),
    ],
)
def test_unknown_names_are_told(text, told):
    with pytest.raises(CorollaryError) as caught:
        truth_of(["bird", text], LABELS, separator="@", file="x")
    assert told in str(caught.value)
