"""A lead goes through what is probably wrong, by keyboard; clashes tell what is to blame, people how right they are."""

from __future__ import annotations

import shutil

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

from ..campaign.team import TEXT, TRUTH, WORDS
from .conftest import PEOPLE, Team
from .test_annotator import fits, focused, violations
from .test_lead import SCREENS, look_at, status

#: What Dora takes for something else: item and label.
SLIPS = {"i2": "bird", "i6": "mammal"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A campaign in which two of Dora's answers are wrong, one of them against another's, and its people's tokens."""
    path = tmp_path_factory.mktemp("doubtful") / "doubtful.sqlite"
    items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(30)]
    start = {"retrain_every": 10**6, "fallible": True, "learner": "logistic", "pick": "never"}
    with Campaign.create(
        path, items, co.Ontology.parse(TEXT), name="Doubtful", settings=start, lead="Mara"
    ) as campaign:  # fmt: skip
        tokens = {who: campaign.invite(who, role) for who, role in PEOPLE.items()}
        for k in range(20):
            others = (
                ["Ana" if k % 2 else "Ben"] if k != 6 else []
            )  # against that one speaks the model alone
            for who in ("Dora", *others):
                yes = SLIPS.get(f"i{k}", TRUTH[k % 5]) if who == "Dora" else TRUTH[k % 5]
                no = next(one for one in TRUTH if one not in (yes, TRUTH[k % 5]))
                campaign.answer(who, f"i{k}", yes, True)
                campaign.answer(who, f"i{k}", no, False)
        campaign.answer("Chen", "i2", "mammal", True)
        campaign.retrain(wait=True)
        found = campaign.doubtful(10, at_least=0.5)
    assert {one.item: one.opinion.label for one in found} == SLIPS
    return path, tokens


@pytest.fixture
def doubted(made, tmp_path):
    """It, served, for one test."""
    path, tokens = made
    team = Team(shutil.copy(path, tmp_path), tokens)
    team.start()
    yield team
    team.kill()


def look(person):
    person.page.goto(f"{person.team.address}#/doubtful")
    person.page.wait_for_selector("h1:text-is('Probably wrong')")
    return person.page


def press(page, key):
    before = page.query_selector(".audit-question")
    page.keyboard.press(key)
    page.wait_for_function("old => !old.isConnected", arg=before)


def question(page):
    return page.inner_text(".audit-question .question")


def waiting(page, n):
    """Until the bar says that so many answers are to be settled."""
    counted = f"a[href='#/doubtful'] .count:text-is('{n}')"
    page.wait_for_selector(counted if n else "a[href='#/doubtful']:not(:has(.count))")


def test_answers_are_settled_by_one_key_each_and_undone(doubted, sit):
    page = look(sit(doubted, "Mara"))
    waiting(page, 2)
    assert violations(page) == []
    texts = {f"“{WORDS[k % 5]} {k}”": (f"i{k}", label) for k, label in ((2, "bird"), (6, "mammal"))}
    first = question(page)
    item, label = next(found for text, found in texts.items() if text in first)
    assert first.startswith("Dora said “")
    assert first.endswith("Is that right?")
    assert label in first
    told = page.inner_text(".wrong-with")
    assert told.startswith("Wrong with a probability of ")
    assert "Without this answer, yes to " in told
    assert "It does not count for now." in page.inner_text(".audit-question .note")
    press(page, "s")  # can't say
    second = question(page)
    assert second != first
    other, its_label = next(found for text, found in texts.items() if text in second)
    assert focused(page) == "H2"
    press(page, "n")  # it is wrong
    status(page, "Decided: “")
    waiting(page, 1)
    assert "No other answer is probably wrong." in page.inner_text(".audit-state")
    assert focused(page) == "P"
    assert violations(page) == []
    logged = doubted.call("Mara", "GET", f"items/{other}")
    assert {one["label"]: one["value"] for one in logged["values"]}[its_label] is False
    press(page, "u")
    status(page, "Taken back: “")
    assert question(page) == second  # which comes first now
    waiting(page, 2)
    press(page, "y")  # it is right
    logged = doubted.call("Mara", "GET", f"items/{other}")
    assert {one["label"]: one["value"] for one in logged["values"]}[its_label] is True
    page.click("text=Show 1 skipped answer")
    page.wait_for_selector(".audit-question .question")
    assert question(page) == first
    press(page, "n")
    waiting(page, 0)
    page.click("text=Show less doubtful answers")
    page.wait_for_selector(".audit-question .question")
    assert "It counts for now." in page.inner_text(".audit-question .note")
    assert doubted.call("Mara", "GET", "progress")["decided"] >= 2
    page.keyboard.press("Escape")
    page.wait_for_selector("h1:text-is('Conflicts')")
    assert item != other


def test_keys_are_taken_by_the_view_that_is_seen(doubted, sit):
    page, held = sit(doubted, "Mara").page, []
    page.route("**/api/trust", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/api/trust"):
        page.evaluate("location.hash = '#/doubtful'")
    page.evaluate(
        "dispatchEvent(new HashChangeEvent('hashchange'))"
    )  # asked for again, before it is there
    page.wait_for_selector(".audit-question")
    with page.expect_response("**/api/doubtful?*"):
        held[0].continue_()  # now the first comes too, to be seen by nobody
    page.wait_for_timeout(300)
    press(page, "s")


def test_what_speaks_against_an_answer_is_told(doubted, sit):
    page = look(sit(doubted, "Mara"))
    told = {}
    for _ in SLIPS:
        told[question(page)] = page.inner_text(".wrong-with")
        press(page, "Space")
    others, model = (
        next(words for said, words in told.items() if label in said) for label in ("bird", "mammal")
    )
    assert "Against it: Ben said yes to mammal and no to bird; Chen said yes to mammal." in others
    assert "No other answer contradicts it, but the model does." in model


def test_a_clash_says_which_answer_is_most_likely_wrong_and_why(doubted, sit):
    page = look_at(sit(doubted, "Mara"), "conflicts")
    page.wait_for_selector(".blame")
    assert "with answers weighed until then" in page.inner_text(".lead-head .beside")
    words = page.inner_text(".case .blame")
    line = int(words.split("line ")[1].split(",")[0])
    said = page.locator(".case-lines li").nth(line - 1).inner_text()
    assert "bird" in said
    assert "Dora" in said
    assert "said yes to mammal" in words
    assert violations(page) == []


def test_an_annotator_is_told_what_is_most_likely_wrong_of_what_they_said(doubted, sit):
    ana = sit(doubted, "Ana")
    while (
        int(ana.asked()[0].split()[-1]) < 20
    ):  # what others said of an item is hidden, and so are clashes with it
        before = ana.page.query_selector("h1.question")
        ana.press("s")
        ana.page.wait_for_function("old => !old.isConnected", arg=before)
    item, label = ana.asked()
    other = "bird" if label in ("place", "city", "river") else "city"
    doubted.answer("Ana", f"i{item.split()[-1]}", other, True)  # on another device
    ana.press("y")
    ana.page.wait_for_selector(".clash .blame")
    words = ana.page.inner_text(".clash .blame")
    assert words.startswith("Most likely wrong: line ")
    assert "Without this answer, yes to " in words
    assert "waits until" not in ana.page.inner_text(".ways")
    assert "Your answer is stored and weighed with the others." in ana.ledger()
    assert violations(ana.page) == []


def test_people_are_told_how_right_they_are(doubted, sit):
    page = look_at(sit(doubted, "Mara"), "people")
    page.wait_for_selector("th:text-is('Right on yes')")
    trust = {one["name"]: one for one in doubted.call("Mara", "GET", "trust")["people"]}
    row = page.locator("tr:has(th:text-is('Dora'))").inner_text()
    assert f"{trust['Dora']['wrong']:.1f} of 40" in row
    low, high = trust["Dora"]["right_if_yes_interval"]
    assert f"({100 * low:.0f} to {100 * high:.0f})" in row
    assert "no answers" in page.locator("tr:has(th:text-is('Mara'))").inner_text()
    assert violations(page) == []


@pytest.mark.parametrize("screen", [*SCREENS, "touch"])
def test_it_fits_every_screen(doubted, sit, screen):
    touch = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    page = look(sit(doubted, "Mara", **SCREENS.get(screen, touch)))
    page.wait_for_selector(".audit-question .question")
    for view in ("doubtful", "conflicts", "people"):
        page.goto(f"{doubted.address}#/{view}")
        page.wait_for_selector(
            {"doubtful": ".wrong-with", "conflicts": ".blame", "people": ".people-list"}[view]
        )
        assert violations(page) == [], view
        assert fits(page), view


def test_where_answers_are_facts_it_says_what_the_setting_would_do(sit, make_team):
    page = look(sit(make_team(12, retrain_every=10**6), "Mara"))
    page.wait_for_selector("text=All answers count as true here")
    assert violations(page) == []
    page.keyboard.press("y")  # there is nothing to settle
    page.click("text=Go to the settings")
    page.wait_for_selector("h1:text-is('Settings')")
    assert "People can be wrong" in page.inner_text("form:has(#set-fallible)")
    page = look_at(sit(make_team(12, retrain_every=10**6), "Mara"), "people")
    page.wait_for_selector(".people-list")
    assert page.locator("th:text-is('Right on yes')").count() == 0


def test_how_right_someone_is_waits_for_enough_answers(doubted, sit):
    new = {
        "name": "Ana",
        "answers": 9,
        "wrong": 0.4,
        "right_if_yes": 0.85,
        "right_if_yes_interval": [0.76, 0.92],
    }
    told = {
        "fallible": True,
        "people": [new | {"right_if_no": 0.98, "right_if_no_interval": [0.97, 0.99]}],
    }
    mara = sit(doubted, "Mara")
    mara.page.route(
        "**/api/trust", lambda route: route.fulfill(json=told, headers={"X-Corollary": "1"})
    )
    page = look_at(mara, "people")
    page.wait_for_selector("th:text-is('Right on yes')")
    cells = page.locator(".people-list tr:has(th:text-is('Ana')) td").all_inner_texts()
    assert "too few" in cells
    assert "98 % (97 to 99)" in cells
    assert "Everyone starts at 85 %" in page.inner_text(".lead-section.people")
