"""JSON that others wrote: read, or refused where it is none or nested too deep."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.jsontext import DEEPEST, TooDeep, decode_json, parse_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.text("[]{} x"))
def test_values_come_back_alone_and_inside_a_text(value, around):
    text = json.dumps(value)
    assert parse_json(text) == value
    assert decode_json(around + text + "," + around, len(around)) == (
        value,
        len(around) + len(text),
    )


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_python_takes_and_json_does_not(text):
    for read in (parse_json, lambda text: decode_json(text, 0)):
        with pytest.raises(ValueError, match="is no number in JSON; write null"):
            read(text)


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_what_is_nested(opened, closed):
    for depth in (1, DEEPEST):
        inner = "[]" if opened == "[" else "{}"
        text = opened * (depth - 1) + inner + closed * (depth - 1)
        assert json.loads(text) == parse_json(text) == decode_json(text, 0)[0]
    for depth in (DEEPEST + 1, 100_000):
        text = opened * depth + "1" + closed * depth
        for read in (parse_json, lambda text: decode_json(text, 0)):
            with pytest.raises(TooDeep, match="nested more than 100 deep"):
                read(text)


def test_brackets_in_texts_and_side_by_side_are_not_nested():
    assert parse_json(json.dumps("[" * 500)) == "[" * 500
    assert parse_json(json.dumps([[]] * 500)) == [[]] * 500
