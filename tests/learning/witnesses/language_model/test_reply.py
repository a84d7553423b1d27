from __future__ import annotations

import json
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.learning.witnesses.language_model.reply import (
    Choice,
    Rubbish,
    probabilities,
    read_choice,
)

LABELS = ("bird", "fish")
names = st.text(min_size=1)


def body(**choice):
    return {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop", **choice}]}


def test_what_a_server_gives_back():
    assert read_choice(body() | {"usage": {"total_tokens": 7}}) == (Choice("{}", ()), 7)
    assert read_choice(body() | {"usage": {"total_tokens": "7"}})[1] is None
    assert read_choice(body(logprobs={"content": [{"token": "{}"}]}))[0].tokens == [{"token": "{}"}]
    assert read_choice(body(logprobs={"content": ["{}"]}))[0].tokens == ()
    for bad in ({}, [], None, "x", {"choices": []}, {"choices": [{"message": None}]}):
        with pytest.raises(Rubbish, match="no chat completion"):
            read_choice(bad)
    with pytest.raises(Rubbish, match="no text"):
        read_choice(body(message={"content": None}))
    with pytest.raises(Rubbish, match="cut off"):
        read_choice(body(finish_reason="length"))


@given(
    st.dictionaries(names, st.one_of(st.integers(0, 100), st.floats(0, 100), st.none())),
    st.integers(0, 4),
)
def test_percents_are_read_back(values, indent):
    text = f"Sure:\n```json\n{json.dumps(values, indent=indent)}\n```\nHope this helps {{not JSON}}"
    found = probabilities(Choice(text, ()), values, percent=True)
    assert found == {label: value / 100 for label, value in values.items() if value is not None}


@given(st.dictionaries(names, st.sampled_from(["yes", "no", "Yes", " NO ", True, False, None])))
def test_yes_and_no_are_read_back(values):
    found = probabilities(Choice(json.dumps(values), ()), values, percent=False)
    yes = {"yes": 1, "Yes": 1, True: 1, "no": 0, " NO ": 0, False: 0}
    assert found == {label: yes[value] for label, value in values.items() if value is not None}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I cannot tell.", "there is no JSON object in it"),
        ('{"bird": 1', "its JSON is broken"),
        ('{"bird" 1}', "its JSON is broken"),
        ('{"bird": 1 "fish": 2}', "its JSON is broken"),
        ("{bird: 1}", "its JSON is broken"),
        ('{"bird": ' + "[" * 100_000, "its JSON is broken"),
        ('{"bird": 1, "bird": 2}', "it speaks of 'bird' twice"),
        ('{"bird": 1, "Bird": 2}', "it speaks of 'Bird', which was not asked for"),
        ('{"bird": 101}', "of 'bird' it says '101', which is no number from 0 to 100"),
        ('{"bird": "high"}', "of 'bird' it says 'high', which is no number from 0 to 100"),
        ('{"bird": NaN}', "which is no number from 0 to 100"),
        ('{"bird": true}', "which is no number from 0 to 100"),
        ('{"bird": {"p": 1}}', "which is no number from 0 to 100"),
    ],
)
def test_rubbish_is_told(text, why):
    with pytest.raises(Rubbish) as caught:
        probabilities(Choice(text, ()), LABELS, percent=True)
    assert why in str(caught.value)


@pytest.mark.parametrize("value", ["perhaps", 1, 0.5, ["yes"], {}])
def test_neither_yes_nor_no(value):
    with pytest.raises(Rubbish, match="neither yes nor no"):
        probabilities(Choice(json.dumps({"bird": value}), ()), LABELS, percent=False)


def token(text, **others):
    return {
        "token": text,
        "top_logprobs": [{"token": other, "logprob": log(p)} for other, p in others.items()],
    }


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"yes": 0.7, "no": 0.2}, 0.7 / 0.9),
        ({"yes": 0.5, "Yes": 0.2, "no": 0.3}, 0.7),
        ({"y": 0.6, "n": 0.4}, 0.6),
        ({'"yes': 0.6, ' "no': 0.4}, 0.6),
        ({"yes": 0.9, "maybe": 0.05}, 0.9 / 0.95),  # no has at most what is left
        ({"no": 0.9, "maybe": 0.05}, 0.05 / 0.95),
        ({"yes": 1.0}, 1.0),
        ({"maybe": 1.0}, 1.0),  # says nothing of yes and no: what was said counts
    ],
)
def test_the_probability_of_a_yes_is_that_of_its_token(others, expected):
    tokens = [
        token('{"'),
        token("bi"),
        token('rd": "'),
        token("yes", **others),
        token('", "fish": "no"}'),
    ]
    choice = Choice('{"bird": "yes", "fish": "no"}', tokens)
    found = probabilities(choice, LABELS, percent=False)
    assert found["bird"] == pytest.approx(expected)
    assert found["fish"] == 0


def test_tokens_that_are_not_the_text_or_are_broken_count_for_nothing():
    text = '{"bird": "yes"}'
    for tokens in (
        [token("yes", yes=0.6, no=0.4)],
        [token(text), token("!")],
        [{"token": text, "top_logprobs": [{"token": "no"}]}],
        [{"token": text, "top_logprobs": "no"}],
        [{"token": text}],
    ):
        assert probabilities(Choice(text, tokens), LABELS, percent=False) == {"bird": 1.0}


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.floats(),
        st.integers(),
        st.sampled_from([*LABELS, "yes", "no", "x"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*LABELS, "x"]), inner)
    ),
    max_leaves=8,
)
texts = st.one_of(
    st.text(), json_values.map(json.dumps), st.text(alphabet='{}[]":, birdfsyeno01\\')
)


@given(
    texts,
    st.booleans(),
    st.lists(st.dictionaries(st.sampled_from(["token", "top_logprobs", "x"]), json_values)),
)
def test_whatever_a_model_says_is_probabilities_or_rubbish(text, percent, tokens):
    try:
        found = probabilities(Choice(text, tokens), LABELS, percent=percent)
    except Rubbish as rubbish:
        assert len(str(rubbish)) < 250
    else:
        assert found.keys() <= set(LABELS)
        assert all(0 <= value <= 1 for value in found.values())


@given(json_values, json_values)
def test_whatever_a_server_gives_back_is_a_reply_or_rubbish(choices, usage):
    good = {"message": {"content": "x"}, "logprobs": choices, "finish_reason": usage}
    for given_back in (
        choices,
        {"choices": choices, "usage": usage},
        {"choices": [good], "usage": usage},
    ):
        try:
            choice, spent = read_choice(given_back)
        except Rubbish:
            continue
        assert isinstance(choice.text, str)
        assert spent is None or spent >= 0
