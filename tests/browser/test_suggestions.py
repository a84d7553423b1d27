"""What the model predicts, on the page: with some of the questions, if the lead wants it; and what the lead sees."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.items import Item

from .test_annotator import fits, violations
from .test_lead import look_at

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
WORDS = ("feather wing", "fin water", "fur milk", "street house", "bank flow")
TRUTH = ("bird", "fish", "mammal", "city", "river")


def make(make_team, **settings):
    """A campaign with a model, of which five items are known."""
    items = [Item(f"{WORDS[n % 5]} {n}", text=f"{WORDS[n % 5]} {n}") for n in range(25)]
    settings = {"suggest": 1.0, "learner": "logistic", "retrain_every": 10**6, **settings}
    team = make_team(items=items, onto=co.Ontology.parse(TEXT), **settings)
    for n in range(5):
        for label in TRUTH:
            team.answer("Ben", items[n].id, label, TRUTH[n] == label)
    team.call("Mara", "PATCH", "settings", {"changes": {"retrain_every": 1}})
    team.answer("Ben", items[5].id, "animal", True)
    return team


def await_model(team, page):
    for _ in range(200):
        if team.call("Mara", "GET", "progress")["model"]:
            return
        page.wait_for_timeout(100)
    pytest.fail("no model came")


@pytest.mark.parametrize(
    "how", [{}, {"viewport": {"width": 320, "height": 640}}, {"color_scheme": "dark"}]
)
def test_a_quiet_line_with_the_question(sit, make_team, how):
    team = make(make_team, pick="never")
    mara = sit(team, "Mara")
    await_model(team, mara.page)
    ana = sit(team, **how)
    ana.asked()
    line = ana.page.inner_text(".suggestion")
    (question,) = team.call("Ana", "POST", "questions", {"n": 1})["questions"]
    found = question["suggestion"]
    assert line.startswith(f"Suggested: {'yes' if found['value'] else 'no'}, ")
    assert line.endswith(" %")
    assert violations(ana.page) == []
    assert fits(ana.page)
    ana.press("y")
    ana.stored()
    last = team.call("Ana", "GET", "history")["events"][0]
    assert last["detail"] == {"suggested": [found["value"], found["probability"]]}
    look_at(mara, "progress")
    mara.page.wait_for_selector("text=of 1 answer with a suggestion, no answers without")


def test_the_likeliest_pick(sit, make_team):
    team = make(make_team, pick="always")
    mara = sit(team, "Mara")
    await_model(team, mara.page)
    ana = sit(team)
    ana.page.wait_for_selector(".best .option")
    first = ana.page.locator(".best .option .name").first.inner_text()
    assert ana.page.inner_text(".suggestion").startswith(f"Suggested: {first}, ")
    assert violations(ana.page) == []
    ana.press("1")
    ana.stored()
    last = team.call("Ana", "GET", "history")["events"][0]
    assert last["detail"]["suggested"][0] == last["value"] == [first]


def test_no_line_unless_a_lead_wants_it(sit, make_team):
    team = make(make_team, pick="never", suggest=0.0)
    ben = sit(team)
    await_model(team, ben.page)
    ben.page.reload()
    ben.asked()
    assert ben.page.locator(".suggestion").count() == 0
