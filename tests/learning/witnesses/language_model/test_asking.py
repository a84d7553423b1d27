"""Forms that servers know or not, faults that pass or stay."""

from __future__ import annotations

import json
from math import log
from threading import Event

import pytest

import corollary as co
from corollary.learning.witnesses.language_model import asking
from corollary.learning.witnesses.language_model.asking import (
    FORMS,
    Asker,
    GivenUp,
    Question,
    Unanswered,
)
from corollary.learning.witnesses.language_model.endpoint import make_endpoint
from corollary.learning.witnesses.language_model.kept_replies import KeptReplies
from corollary.learning.witnesses.language_model.pace import Pace

from .server import Answer, completion, said, serving

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
ROBIN = Question(0, "a robin", ("bird", "fish"))


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.001)


def asker_of(url, *, kept=None, tries=3, **limits):
    pace, store = Pace(**limits), KeptReplies(None) if kept is None else kept
    return Asker(make_endpoint(url), "tiny", pace, store, seconds=5.0, tries=tries), pace


def ask(asker, question=ROBIN):
    return asker.ask(ONTO, question, {}, Event())


def good(call):
    """A server that knows everything: yes or no with the probability of 0.8 in its tokens, or numbers."""
    if not call.body.get("logprobs"):
        return said(dict.fromkeys(ROBIN.labels, 30))
    text = '{"bird": "yes", "fish": "no"}'
    cut = [text[:10], text[10:13], text[13:25], text[25:27], text[27:]]
    assert (cut[1], cut[3]) == ("yes", "no")
    tops = [{"token": "yes", "logprob": log(0.8)}, {"token": "no", "logprob": log(0.2)}]
    return said(json.loads(text), tokens=[{"token": part, "top_logprobs": tops} for part in cut])


def only(known):
    """A server that refuses a request with more than it knows."""

    def answer(call):
        unknown = set(call.body) - {"model", "messages", *known}
        return Answer(400, f"unknown: {sorted(unknown)}".encode()) if unknown else good(call)

    return answer


def test_log_probabilities_are_used_where_there_are_any():
    with serving(good) as (url, calls):
        assert ask(asker_of(url)[0]) == (
            {"bird": pytest.approx(0.8), "fish": pytest.approx(0.8)},
            False,
        )
    (call,) = calls
    assert call.yes_no
    assert (call.body["temperature"], call.body["top_logprobs"]) == (0, 5)
    assert call.labels == ["bird", "fish"]


@pytest.mark.parametrize(
    ("known", "forms"),
    [
        ({"temperature", "max_tokens", "response_format"}, 2),
        ({"temperature", "max_tokens"}, 3),
        (set(), 4),
    ],
)
def test_a_server_that_knows_less_is_asked_for_less_and_for_numbers(known, forms):
    with serving(only(known)) as (url, calls):
        asker, pace = asker_of(url)
        assert ask(asker)[0] == {"bird": 0.3, "fish": 0.3}
        assert len(calls) == forms
        ask(asker, ROBIN._replace(text="a trout"))  # now it is known what it knows
        assert len(calls) == forms + 1
    assert not calls[-1].yes_no
    assert pace.requests == forms + 1


def test_a_server_that_keeps_its_log_probabilities_to_itself_is_asked_for_numbers():
    with serving(lambda call: said(dict.fromkeys(call.labels, "yes" if call.yes_no else 95))) as (
        url,
        calls,
    ):
        assert ask(asker_of(url)[0])[0] == {"bird": 0.95, "fish": 0.95}
    assert [call.yes_no for call in calls] == [True, False]


def test_a_request_that_no_form_makes_good_is_about_this_item():
    with (
        serving(lambda _: Answer(400, b"content filter")) as (url, calls),
        pytest.raises(Unanswered) as caught,
    ):
        ask(asker_of(url)[0])
    assert str(caught.value) == "the server answered 400: content filter"
    assert not caught.value.away
    assert len(calls) == len(FORMS)


@pytest.mark.parametrize("status", [401, 403, 404, 301])
def test_a_request_that_is_no_use_is_given_up(status):
    with (
        serving(lambda _: Answer(status, b"no")) as (url, calls),
        pytest.raises(GivenUp, match=f"{status}: no"),
    ):
        ask(asker_of(url)[0])
    assert len(calls) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Answer(429, b"", {"Retry-After": "0"}),
        Answer(500),
        Answer(200, b"rubbish"),
        Answer(200, b"{}", length=9),
        Answer(0),
    ],
)
def test_faults_that_pass_are_waited_for(fault):
    faults = [fault, fault]
    with serving(lambda call: faults.pop() if faults else good(call)) as (url, calls):
        asker, pace = asker_of(url)
        assert ask(asker)[0]["bird"] == pytest.approx(0.8)
    assert len(calls) == pace.requests == 3


def test_faults_that_stay_are_told():
    with (
        serving(lambda _: Answer(503, b"busy")) as (url, calls),
        pytest.raises(Unanswered, match="503") as caught,
    ):
        ask(asker_of(url, tries=4)[0])
    assert caught.value.away
    assert len(calls) == 4


def test_a_server_that_asks_for_too_much_patience_is_given_up():
    with (
        serving(lambda _: Answer(429, b"tomorrow", {"Retry-After": "86400"})) as (url, _),
        pytest.raises(GivenUp, match="429: tomorrow; it asks to wait for 86,400 s"),
    ):
        ask(asker_of(url)[0])


def test_the_wait_that_a_server_asks_for_is_kept():
    waited = []

    class Watch(Event):
        def wait(self, timeout=None):
            waited.append(timeout)
            return False

    faults = [Answer(429, b"", {"Retry-After": "7"}), Answer(429), Answer(429)]
    with serving(lambda call: faults.pop(0) if faults else good(call)) as (url, _):
        asker_of(url, tries=9)[0].ask(ONTO, ROBIN, {}, Watch())
    assert waited == [7.0, 0.002, 0.004]


@pytest.mark.parametrize(
    "text", ["I would rather not.", '{"bird": "yes", "horse": "no"}', '{"bird": 7}', '{"bird']
)
def test_rubbish_is_asked_for_once_more_then_told(text):
    replies = [text]

    def answer(call):
        return (
            said({}, tokens=[{"token": "x"}], message={"content": replies.pop()})
            if replies
            else good(call)
        )

    with serving(answer) as (url, calls):
        assert ask(asker_of(url)[0])[0]["bird"] == pytest.approx(0.8)
        replies += [text, text]
        with pytest.raises(Unanswered, match="the reply cannot be used: "):
            ask(asker_of(url)[0])
    assert len(calls) == 4


def test_nothing_is_asked_twice_and_the_file_has_no_texts(tmp_path):
    path = tmp_path / "replies.jsonl"
    with serving(only({"temperature"})) as (url, calls):
        first = ask(asker_of(url, kept=KeptReplies(path))[0])
        n = len(calls)
        assert ask(asker_of(url, kept=KeptReplies(path))[0]) == (first[0], True)
        assert len(calls) == n
        ask(asker_of(url, kept=KeptReplies(path))[0], ROBIN._replace(text="a trout"))
        ask(asker_of(url, kept=KeptReplies(path))[0], ROBIN._replace(labels=("fish", "bird")))
        assert len(calls) > n + 1
    assert "robin" not in path.read_text()


def test_a_budget_is_kept():
    with serving(good) as (url, calls):
        asker, pace = asker_of(url, requests=1)
        ask(asker)
        with pytest.raises(GivenUp, match="the 1 requests of the budget are used up"):
            ask(asker, ROBIN._replace(text="a trout"))
        assert pace.tokens == 100  # as the server told
        with pytest.raises(GivenUp, match="beyond the budget of 10 tokens"):
            ask(asker_of(url, tokens=10)[0])
    assert len(calls) == 1


def test_tokens_are_estimated_where_a_server_does_not_tell():
    text = json.dumps(dict.fromkeys(ROBIN.labels, 30))
    with serving(lambda call: completion(text, spent=None)) as (url, calls):
        asker, pace = asker_of(url)
        ask(asker)
    written = sum(len(json.dumps(call.body, ensure_ascii=False)) + len(text) for call in calls)
    assert pace.tokens == pytest.approx(written / asking.CHARACTERS, abs=2 * len(calls))


def test_a_long_item_is_not_asked_about_and_not_cut(monkeypatch):
    monkeypatch.setattr(asking, "LONGEST", 6)
    with pytest.raises(Unanswered, match="the item has 7 characters, of which 6 are the most"):
        ask(asker_of("http://127.0.0.1:1/v1")[0])
