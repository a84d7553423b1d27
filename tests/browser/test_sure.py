"""A lead accepts what the model is sure of, after an audit that is answered by keyboard; and takes the lot back."""

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


def make(folder, text, number=40):
    """A campaign whose model has seen three of each kind, and the tokens of its people."""
    path = folder / "sure.sqlite"
    items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(number)]
    start = {"retrain_every": 10**6}
    with Campaign.create(
        path, items, co.Ontology.parse(text), name="Sure", settings=start, lead="Mara"
    ) as campaign:  # fmt: skip
        tokens = {who: campaign.invite(who, role) for who, role in PEOPLE.items()}
        for k in range(15):
            campaign.answer("Ana", f"i{k}", TRUTH[k % 5], True)
        campaign.retrain(wait=True)
    return path, tokens


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A campaign in which another label may hold beside the one of TEXT: cells are audited."""
    return make(tmp_path_factory.mktemp("sure"), f"{TEXT}\nanimal > tame")


@pytest.fixture(scope="module")
def picks(tmp_path_factory):
    """A campaign of one label an item: whole items are audited, and accepted in two batches."""
    return make(tmp_path_factory.mktemp("picks"), TEXT, 1000)


def served(made, folder):
    path, tokens = made
    team = Team(shutil.copy(path, folder), tokens)
    team.start()
    yield team
    team.kill()


@pytest.fixture
def trained(made, tmp_path):
    """It, served, for one test."""
    yield from served(made, tmp_path)


@pytest.fixture
def picking(picks, tmp_path):
    """It, served, for one test."""
    yield from served(picks, tmp_path)


def look(person):
    person.page.goto(f"{person.team.address}#/sure")
    person.page.wait_for_selector("h1:text-is('Sure predictions')")
    return person.page


def truth(page):
    """Whether yes is the true answer to the question on the page."""
    said = page.inner_text(".audit-question .question")
    what = TRUTH[int(said[said.index("“") + 1 : said.index("”")].split()[-1]) % 5]
    kind = "animal" if what in TRUTH[:3] else "place"
    return page.inner_text(".audit-question em") in (what, kind, "tame" if kind == "animal" else "")


def draw(page, *, least="0.8", wrong="20 %", unit="cells"):
    page.fill("#sure-least", least)
    page.fill("#sure-wrong", wrong)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"text=predicted with at least {least}")
    page.wait_for_selector(
        f"text=An audit needs 14 right answers to show that at most 20.00 % of the {unit}"
    )
    page.click("button:text-is('Draw an audit')")
    page.wait_for_selector(".audit-question")


def accept(page):
    page.focus("button:text-is('Accept all')")
    page.keyboard.press("Enter")


def press(page, key):
    before = page.query_selector(".audit-state")
    page.keyboard.press(key)
    page.wait_for_function("old => !old.isConnected", arg=before)


def answer_all(page):
    while page.query_selector(".audit-question"):
        press(page, "y" if truth(page) else "n")


def test_an_audit_answered_by_keys_lets_all_be_accepted_and_taken_back(trained, sit):
    mara = sit(trained, "Mara")
    page = look_at(mara, "progress")
    page.click("text=Accept sure predictions")
    page.wait_for_selector("h1:text-is('Sure predictions')")
    assert violations(page) == []
    page.wait_for_selector("text=No audit yet.")
    accept(page)
    status(page, "! nothing is accepted without an audit")
    page.fill("#sure-least", "certain")
    page.keyboard.press("Enter")
    status(page, "! “Least probability” is a number between 0 and 1")
    draw(page)
    assert focused(page) == "H3"
    assert violations(page) == []
    assert "%" not in page.inner_text(".audit-question")  # nothing is told of what is predicted
    accept(page)
    status(page, "! audit")
    first = page.inner_text(".audit-question .question")
    press(page, "s")  # later
    second = page.inner_text(".audit-question .question")
    assert first != second
    press(page, "y" if truth(page) else "n")
    press(page, "u")
    assert page.inner_text(".audit-question .question") == second
    answer_all(page)
    page.wait_for_selector(".audit-state:has-text('passed')")
    assert focused(page) == "P"
    assert violations(page) == []
    before = trained.call("Mara", "GET", "progress")
    accept(page)
    page.wait_for_selector(".lead-status:has-text(' accepted.')")
    after = trained.call("Mara", "GET", "progress")
    assert after["accepted"] == after["settled"] - before["settled"] > 14
    assert focused(page) == "BUTTON"
    page.keyboard.press("Enter")  # the way back
    status(page, "Taken back: accepted labels of ")
    assert trained.call("Mara", "GET", "progress")["settled"] == before["settled"]
    page.keyboard.press("Escape")
    page.wait_for_selector("h1:text-is('Progress')")


def press_pick(page):
    """Pick by key what is true of the item on the page."""
    said = page.inner_text(".audit-question .question")
    what = TRUTH[int(said[said.index("“") + 1 : said.index("”")].split()[-1]) % 5]
    names = page.locator(".audit-question .best .name").all_inner_texts()
    assert names == sorted(
        names, key=("animal", "bird", "fish", "mammal", "place", "city", "river").index
    )
    press(page, str(names.index(what) + 1))


def test_whole_items_are_audited_by_picks_and_accepted_in_batches(picking, sit):
    mara = sit(picking, "Mara")
    page = look(mara)
    draw(page, least="0.51", unit="items")
    assert focused(page) == "H3"
    assert violations(page) == []
    first = page.inner_text(".audit-question .question")
    press(page, "s")  # later
    press_pick(page)
    press(page, "u")
    while page.query_selector(".audit-question"):
        press_pick(page)
    page.wait_for_selector(".audit-state:has-text('passed. 14 right, 0 wrong')")
    assert first
    asked, seen = [], []
    page.on(
        "request",
        lambda request: (
            request.url.endswith("/sure/accept") and asked.append(request.post_data_json)
        ),
    )
    page.route(
        "**/sure/accept", lambda route: seen.append(page.inner_text(".far")) or route.continue_()
    )
    accept(page)
    page.wait_for_selector(".lead-status:has-text(' accepted.')")
    after = picking.call("Mara", "GET", "progress")
    assert len(asked) == len(seen) == 2
    assert asked[0] == asked[1]  # one key: one group
    assert seen[1] == f"Accepting: 500 of {after['accepted']:,} items"
    status(page, f"{after['accepted']:,} items accepted.")
    assert focused(page) == "BUTTON"
    page.keyboard.press("Enter")
    status(page, f"Taken back: accepted labels of {after['accepted']:,} items.")
    assert picking.call("Mara", "GET", "progress")["accepted"] == 0


def test_accepting_goes_on_after_the_server_was_killed_and_by_hand(picking, sit):
    page = look(sit(picking, "Mara"))
    draw(page, least="0.51", unit="items")
    while page.query_selector(".audit-question"):
        press_pick(page)
    cut = []

    def kill(route):
        if len(cut) == 0:
            route.continue_()
        elif len(cut) == 1:
            picking.kill()
            route.abort()
            picking.start()
        else:
            route.continue_()
        cut.append(route)

    page.route("**/sure/accept", kill)
    accept(page)
    page.wait_for_selector(".lead-status:has-text(' accepted.')", timeout=40_000)
    assert len(cut) == 3
    page.keyboard.press("Enter")
    status(page, "Taken back: ")
    page.unroute("**/sure/accept")
    cut.clear()
    refused = {
        "status": 400,
        "headers": {"X-Corollary": "1"},
        "json": {"error": {"code": "refused", "message": "No."}},
    }

    def refuse_the_second(route):
        cut.append(route)
        return route.continue_() if len(cut) == 1 else route.fulfill(**refused)

    page.route("**/sure/accept", refuse_the_second)
    accept(page)
    page.wait_for_selector("#accept-why:has-text('Not finished: 500 of')")
    page.unroute("**/sure/accept")
    page.click("button:text-is('Go on accepting')")
    page.wait_for_selector(".lead-status:has-text(' accepted.')")
    accepted = picking.call("Mara", "GET", "progress")["accepted"]
    assert accepted > 500
    assert picking.call("Mara", "GET", "sure/audits")["under_way"] is None


def test_an_audit_that_failed_is_told_and_nothing_is_accepted(trained, sit):
    page = look(sit(trained, "Mara"))
    draw(page)
    press(page, "Space")  # that nobody can tell confirms nothing
    page.wait_for_selector(".audit-state:has-text('failed')")
    assert "The audit failed. Nothing is accepted." in page.inner_text("#accept-why")
    accept(page)
    status(page, "! audit")
    assert trained.call("Mara", "GET", "progress")["accepted"] == 0


def test_a_look_that_was_overtaken_by_a_later_one_says_nothing(trained, sit):
    person = sit(trained, "Mara")
    page, held = person.page, []
    page.route(
        "**/sure?*",
        lambda route: held.append(route) if "0.99" in route.request.url else route.continue_(),
    )
    with page.expect_request("**/sure?at_least=0.99*"):
        look(person)
    page.fill("#sure-least", "0.8")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=predicted with at least 0.8")
    page.wait_for_timeout(500)  # after which a look that takes long says so
    (first,) = held
    with page.expect_response("**/sure?at_least=0.99*") as answered:
        first.continue_()
    answered.value.finished()
    page.wait_for_timeout(100)
    assert "predicted with at least 0.8" in page.inner_text("main")


@pytest.mark.parametrize("screen", [*SCREENS, "touch"])
def test_it_fits_every_screen(trained, sit, screen):
    touch = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    page = look(sit(trained, "Mara", **SCREENS.get(screen, touch)))
    draw(page)
    page.evaluate("scrollTo(0, 0)")
    assert violations(page) == []
    assert fits(page)


def test_before_a_model_it_says_so(sit, make_team):
    page = look(sit(make_team(12, retrain_every=10**6), "Mara"))
    page.wait_for_selector("text=there is no model yet")
    assert page.is_hidden("#sure-n")
