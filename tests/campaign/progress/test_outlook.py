"""The forecast of what it takes to the end."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import EXPECTED
from corollary.campaign.progress.expected import answers_with, record_of
from corollary.campaign.progress.outlook import to_the_end
from corollary.campaign.progress.progress import Figures
from corollary.learning.choosing.question_worth import cost_of_asked

from ..logs import LEAD
from .at_work import work

ONLY = "random questions show only that at least {:.1%} are right"


def test_the_forecast_is_exact_where_nothing_is_to_be_learnt():
    onto = co.Ontology.parse("a > b\nc > d")
    known = np.full((30, 4), -1, np.int8)
    known[:20] = onto.propagate({"a": True, "b": True, "c": False}) and [1, 1, 0, 0]
    beliefs = np.full((30, 4), 0.5)
    end = to_the_end(onto, beliefs, known, asked=10**9)
    # Each open item has two chains; a chain takes one question or two.
    assert 20 <= end.questions <= 40
    assert end.low <= end.questions <= end.high
    assert end.path[0] == (0, 0, 0, 0)
    assert end.path[-1][1] == end.path[-1][3] == 40
    assert all(low <= middle <= high for _, middle, low, high in end.path)
    early = to_the_end(onto, beliefs, known, asked=0)
    assert early.low < end.low
    assert early.high > end.high


INTENTS = co.Ontology.parse(
    "exactly one: "
    + ", ".join(f"g{g}" for g in range(9))
    + "\n"
    + "\n".join(
        f"g{g} > exactly one: " + ", ".join(f"i{g}_{k}" for k in range(8)) for g in range(9)
    )
)


@pytest.mark.parametrize("asked", [0, 300, 10**6])
def test_the_end_of_a_campaign_of_picks_is_one_pick_an_item(asked):
    n, k = 10_003, len(INTENTS)
    known = np.full((n, k), -1, np.int8)
    known[:301] = INTENTS.most_probable(np.full((301, k), 0.5))
    beliefs = np.full((n, k), 0.1)
    cost = cost_of_asked(np.array([1.0] * k + [3.0]), "items")
    end = to_the_end(INTENTS, beliefs, known, cost, asked=asked)
    assert (end.low, end.questions, end.high) == (9702, 9702, 9702)
    assert end.path[-1] == (9702, *[9702 * k] * 3)
    done = to_the_end(INTENTS, beliefs, known, cost, asked=asked, in_items=True)
    assert done.path[-1] == (9702, 9702, 9702, 9702)
    assert all(point == (point[0],) * 4 for point in done.path)  # a pick settles an item


def test_the_end_where_picks_or_yes_and_no_are_asked_has_no_second_pick_of_an_item():
    rng, k = np.random.default_rng(0), len(INTENTS)
    known = np.full((60, k), -1, np.int8)
    beliefs = rng.beta(0.3, 3.0, (60, k))
    prices = np.array([1.0] * k + [3.0])
    both = to_the_end(INTENTS, beliefs, known, cost_of_asked(prices, "both"))
    labels = to_the_end(INTENTS, beliefs, known, cost_of_asked(prices, "labels"))
    assert 60 <= both.low <= both.questions <= both.high
    assert both.high < labels.high <= 60 * k
    # Sure and mistaken: yes or no first, then a pick.
    sure = np.full((60, k), 0.01)
    sure[:, [0, 9]] = 0.99
    surely = to_the_end(INTENTS, sure, known, cost_of_asked(prices, "both"))
    assert surely.high <= 60 * 2 + 6


def test_the_end_has_no_more_questions_than_open_cells():
    onto = co.Ontology(["a", "b"])
    end = to_the_end(onto, np.full((5, 2), 0.5), np.full((5, 2), -1, np.int8))
    assert end.high == 10
    assert end.low >= 5


def test_the_forecast_of_a_campaign_of_picks_counts_picks(tmp_path):
    items = [{"id": f"i{n}", "text": f"text {n % 7}"} for n in range(90)]
    settings = {"pick": "always", "retrain_every": 10**6, "overlap": 0.0}
    with Campaign.create(
        tmp_path / "c.sqlite", items, INTENTS, name="bank", settings=settings, lead=LEAD
    ) as campaign:
        for n in range(55):
            campaign.answer(LEAD, f"i{n}", None, [f"i{n % 7}_{n % 3}"])
        assert Figures(campaign).get()["forecast"]["most"] == 35
        campaign.retrain(wait=True)
        told = forecast_of(campaign)
    assert (told["low"], told["questions"], told["high"]) == (35, 35, 35)
    assert (
        0
        <= told["to_target_interval"][0]
        <= told["to_target"]
        <= told["to_target_interval"][1]
        <= 35
    )


def test_the_forecast_of_a_finished_campaign():
    onto = co.Ontology.parse("a > b")
    assert to_the_end(onto, np.full((3, 2), 0.5), np.ones((3, 2), np.int8)).questions == 0


def test_the_forecast_comes_once_a_model_and_enough_answers_are_there(campaign):
    work(campaign, 30)
    figures = Figures(campaign)
    told = campaign.progress()
    early = {"state": "early", "after": 50, "more": 50 - told["asked"], "most": told["open"]}
    assert figures.get()["forecast"] == {**early, "missing": ["answers", "model"]}
    campaign.retrain(wait=True)
    assert figures.get()["forecast"] == {**early, "missing": ["answers"]}
    work(campaign, 30)
    assert figures.get()["forecast"]["state"] in ("coming", "ready")
    figures.wait()
    told = figures.get()["forecast"]
    assert told["state"] == "ready"
    assert told["model"] == 1
    assert told["low"] <= told["questions"] <= told["high"]
    assert told["accuracy"]["low"] <= told["accuracy"]["value"] <= told["accuracy"]["high"]
    assert told["days"] is None  # all was answered today: no pace yet
    assert told["promised"] <= told["accuracy"]["high"]
    assert figures.get()["forecast"]["path"] == told["path"]


def forecast_of(campaign):
    """The forecast as of now, worked out anew."""
    figures = Figures(campaign)
    figures.get()
    figures.wait()
    return figures.get()["forecast"]


def told_after(campaign, by_chance, *, target=0.99, wrong=()):
    """The forecast of a campaign that draws such a share by chance once it has a model, after twelve more answers."""
    campaign.change_settings(
        LEAD, {"by_chance": by_chance, "target": target, "pick": "never", "overlap": 0.0}
    )
    work(campaign, 60)
    campaign.retrain(wait=True)
    work(campaign, 12, wrong=wrong)
    assert campaign.progress()["settled"] < campaign.progress()["cells"]
    return forecast_of(campaign)


def test_without_questions_by_chance_the_target_is_not_reached_and_why(campaign):
    told = told_after(campaign, 0.0, target=0.9)
    assert told["accuracy"]["low"] >= 0.9
    assert (told["reached"], told["drawn"]) == (False, 0)
    assert told["why_not"] == "no random question is asked (the setting by_chance is 0)"


def test_where_what_chance_drew_was_as_predicted_the_target_is_reached(campaign):
    told = told_after(campaign, 1.0, target=0.6)
    assert (told["reached"], told["drawn"], told["why_not"]) == (True, 12, None)
    assert 0.6 <= told["promised"] < 0.99
    campaign.change_settings(LEAD, {"target": 0.99})  # more than twelve draws can promise
    more = forecast_of(campaign)
    assert (more["reached"], more["promised"]) == (False, told["promised"])
    assert more["why_not"] == ONLY.format(told["promised"])


def test_where_what_chance_drew_was_not_as_predicted_the_target_is_not_reached(campaign):
    told = told_after(campaign, 1.0, target=0.6, wrong=range(12))
    assert (told["reached"], told["drawn"]) == (False, 12)
    assert told["promised"] < 0.6
    assert told["why_not"] == ONLY.format(told["promised"])


def test_where_nothing_is_open_the_target_is_reached(campaign):
    campaign.change_settings(LEAD, {"by_chance": 0.0})
    work(campaign, 30)
    campaign.retrain(wait=True)
    work(campaign, 200)
    assert campaign.progress()["settled"] == campaign.progress()["cells"]
    told = forecast_of(campaign)
    assert (told["reached"], told["promised"], told["questions"]) == (True, 1.0, 0)


def test_a_campaign_that_is_opened_again_forecasts_the_same(campaign, tmp_path):
    campaign.change_settings(LEAD, {"by_chance": 0.3, "pick": "never"})
    for n in (30, 20, 20, 6):
        work(campaign, n, wrong=range(0, n, 7))
        campaign.retrain(wait=True)
    work(campaign, 5)
    told = forecast_of(campaign)
    assert told["state"] == "ready"
    record = [
        len(part.risk)
        for part in record_of(answers_with(campaign.state, EXPECTED), campaign.state.ontologies)
    ]
    assert len(record) == 4
    assert sum(record) > 20
    campaign.close()
    with Campaign.open(tmp_path / "c.sqlite") as again:
        assert forecast_of(again) == told
        assert again.verify(train=False) == []


def test_a_session_that_is_made_anew_forecasts_the_same(campaign):
    campaign.change_settings(LEAD, {"by_chance": 0.3, "pick": "never"})
    for n in (30, 25):
        work(campaign, n, wrong=range(0, n, 7))
        campaign.retrain(wait=True)
    told, session = forecast_of(campaign), campaign.state.session
    campaign.state.rebuild()
    assert campaign.state.session is not session
    assert forecast_of(campaign) == told
