from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.files.predictions.tables import probability_of
from corollary.logic.errors import CorollaryError


@given(st.floats(0, 1))
def test_probabilities_as_numbers_and_as_text(number):
    assert probability_of(number, "p") == probability_of(repr(number), "p") == number


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("yes", 1),
        (" No ", 0),
        (True, 1),
        (False, 0),
        (1, 1),
        ("", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_votes_and_silence(value, expected):
    assert probability_of(value, "p") == expected


@pytest.mark.parametrize("value", ["maybe", "0,9", "1.5", -0.1, "inf", [0.5], "85"])
def test_what_is_no_probability(value):
    with pytest.raises(
        CorollaryError, match="column 'p': .* is not a probability from 0 to 1"
    ) as caught:
        probability_of(value, "p")
    assert ("divide percents by 100" in str(caught.value)) == (value in ("85", "1.5"))
