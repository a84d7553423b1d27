"""How often people say what the model predicted, with a suggestion and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.progress.agreement import wilson
from corollary.campaign.progress.progress import Figures
from corollary.campaign.progress.suggested import suggestions, suggestions_of

from .at_work import is_true

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\ncolour > red")
SETS = [[], ["animal"], ["bird"], ["animal", "bird"], ["fish"], ["red"], ["bird", "red"], ["gone"]]
#: Labels with all that is above them, by hand.
WHOLE = {"bird": {"bird", "animal"}, "fish": {"fish", "animal"}, "red": {"red", "colour"}}


def answer(value, detail, label="bird"):
    return Event(kind="answer", who="ann", item="i", label=label, value=value, detail=detail)


def test_nothing_was_predicted():
    assert (
        suggestions([answer(True, None), answer(["bird"], {"options": ["bird"]}, None)], {1: ONTO})
        is None
    )
    assert suggestions([answer("skip", {"suggested": [True, 0.9]})], {1: ONTO}) is None


def test_without_a_suggestion_there_may_be_nothing_to_compare_with():
    told = suggestions([answer(True, {"suggested": [True, 0.9]})], {1: ONTO})
    assert told["shown"]["share"] == 1.0
    assert told["not_shown"] == {
        "answers": 0,
        "agreed": 0,
        "share": None,
        "low": None,
        "high": None,
    }


NAMES = st.sampled_from(("suggested", "predicted", None))
YES_NO = st.tuples(st.sampled_from((True, False, "cant_tell", "skip")), NAMES, st.booleans())
WHOLES = st.tuples(st.sampled_from([*SETS[:-1], "skip"]), NAMES, st.sampled_from(SETS))


@given(st.lists(YES_NO | WHOLES))
def test_as_counted_by_hand(said):
    answers, counted = [], {"suggested": [0, 0], "predicted": [0, 0]}
    for value, name, guess in said:
        detail = None if name is None else {name: [guess, 0.7]}
        answers.append(answer(value, detail, None if isinstance(guess, list) else "bird"))
        if name is None or value in ("cant_tell", "skip"):
            continue
        if isinstance(guess, list):
            full = [
                set().union(*(WHOLE.get(label, {label}) for label in one)) for one in (value, guess)
            ]
            same = full[0] == full[1]
        else:
            same = value == guess
        counted[name][0] += 1
        counted[name][1] += same
    told = suggestions(answers, {1: ONTO})
    if not counted["suggested"][0] + counted["predicted"][0]:
        assert told is None
        return
    for part, name in (("shown", "suggested"), ("not_shown", "predicted")):
        n, agreed = counted[name]
        assert (told[part]["answers"], told[part]["agreed"]) == (n, agreed)
        if n:
            assert told[part]["share"] == pytest.approx(agreed / n)
            assert (told[part]["low"], told[part]["high"]) == wilson(agreed, n, level=told["level"])


def test_a_campaign_tells_of_those_that_stand(campaign):
    campaign.change_settings("mara", {"overlap": 0.0, "pick": "never", "suggest": 0.5})
    assert Figures(campaign).get()["suggestions"] is None
    for n in range(5):
        for label in ("bird", "fish", "mammal", "city", "river"):
            campaign.answer("ben", f"i{n}", label, is_true(f"i{n}", label))
    campaign.retrain(wait=True)
    asked = campaign.next("ann", 12)
    for n, one in enumerate(asked):
        value = one.guess.value ^ (n % 4 == 0)
        campaign.answer("ann", one.item.id, one.label, value, lease=one.id)
    told = Figures(campaign).get()["suggestions"]
    with campaign.lock:
        assert suggestions_of(campaign.state) == told
    shown = [n for n, one in enumerate(asked) if one.suggestion is not None]
    assert 0 < len(shown) < 12
    assert (told["shown"]["answers"], told["not_shown"]["answers"]) == (len(shown), 12 - len(shown))
    assert told["shown"]["agreed"] == sum(n % 4 != 0 for n in shown)
    campaign.undo("ann")
    campaign.withdraw(asked[0].item.id, who="mara")
    told = Figures(campaign).get()["suggestions"]
    assert told["shown"]["answers"] + told["not_shown"]["answers"] == 10
    with campaign.lock:
        assert suggestions_of(campaign.state) == told
