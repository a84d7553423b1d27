"""A lead looks through the items in a real browser: search, filters, one item, many at once; keyboard, any width."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.logic.language.constraints import exclusive, subsumes
from corollary.logic.ontology import Ontology

from .conftest import PEOPLE, Team
from .test_annotator import fits, violations
from .test_lead import SCREENS, items_of, look_at, status


@pytest.fixture(scope="module")
def zoo(make_team):
    """A campaign in which each test has labels, or items, of its own."""
    return make_team(120, retrain_every=100_000)


@pytest.fixture(scope="module")
def intents(tmp_path_factory):
    """Queries with 10 domains of 15 intents, 300 rows brought along, as a newcomer has them."""
    domains = {f"domain {d}": [f"intent {d} {k}" for k in range(15)] for d in range(10)}
    rules = [
        rule
        for top, under in domains.items()
        for rule in (subsumes(top, *under), exclusive(*under))
    ]
    labels = [*domains, *(one for under in domains.values() for one in under)]
    onto = Ontology(labels, [*rules, exclusive(*domains)])
    path = tmp_path_factory.mktemp("intents") / "intents.sqlite"
    items = [
        Item(f"q{n}", text=f"a rather long query of a customer about matter number {n}, please")
        for n in range(600)
    ]
    facts = [(f"q{n}", f"intent {n % 10} {n % 15}", True) for n in range(300)]
    start = {"retrain_every": 100_000}
    with Campaign.create(
        path, items, onto, name="Intents", settings=start, lead="Mara", facts=facts
    ) as campaign:
        tokens = {who: campaign.invite(who, role) for who, role in PEOPLE.items()}
    team = Team(path, tokens)
    team.start()
    yield team
    team.kill()


def found(page, words):
    page.wait_for_function(
        "words => document.querySelector('.found').textContent.startsWith(words)", arg=words
    )


def shown(page):
    return page.locator(".item-row .title").all_inner_texts()


def test_items_are_searched_filtered_and_turned_over(sit, zoo):
    page = look_at(sit(zoo, "Mara"), "items")
    ids = items_of(zoo)
    found(page, f"1 to 50 of {len(ids)} items.")
    page.keyboard.press("/")
    page.keyboard.type(ids[7].upper())
    found(page, "1 to ")
    assert ids[7] in shown(page)
    page.fill("#items-search", "")
    found(page, f"1 to 50 of {len(ids)} items.")
    page.click("button:text-is('Later')")
    found(page, f"51 to 100 of {len(ids)} items.")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    zoo.answer("Ana", ids[3], "Plant", True)
    page.fill("#items-label", "plan")
    page.press("#items-label", "Tab")
    assert page.input_value("#items-label") == "Plant"
    page.select_option("#items-state", "asked")
    found(page, "1 to 1 of 1 item.")
    assert "Plant: yes, asked" in page.inner_text(".item-row")
    page.select_option("#items-who", "Ben")
    page.wait_for_selector(".lead-status.failed")  # Ben said nothing yet
    page.select_option("#items-who", "Ana")
    found(page, "1 to 1 of 1 item.")
    page.fill("#items-label", "unicorn")
    page.press("#items-label", "Tab")
    found(page, "There is no label “unicorn”.")

    labels = {"Plant": {"synonyms": "flora; living thing"}, "Animal": {"synonyms": "living thing"}}
    zoo.call("Mara", "PATCH", "settings", {"changes": {"labels": labels}})
    page.reload()
    page.fill("#items-label", "Flora")
    page.press("#items-label", "Tab")
    assert page.input_value("#items-label") == "Plant"
    page.fill("#items-label", "living thing")
    page.press("#items-label", "Tab")
    found(page, "“living thing” can mean")


def test_one_item_is_opened_answered_changed_and_taken_back(sit, zoo):
    item = items_of(zoo)[11]
    zoo.answer("Ana", item, "Animal", True)
    mara = sit(zoo, "Mara")
    page = look_at(mara, f"items/{item}")
    page.wait_for_selector("[data-label=Animal]")
    assert "yes, asked" in page.inner_text("[data-label=Animal]")
    page.click("[data-label=Living] [aria-label='Why Living is yes']")
    page.wait_for_selector("[data-label=Living] .reason :text('Ana said Animal: yes')")
    page.focus("#one-filter")
    page.keyboard.type("fish")
    page.focus("[data-label=Fish] [aria-label='Fish: Yes']")
    page.keyboard.press("Enter")
    status(page, "Answered: ")
    assert page.evaluate("document.activeElement.closest('li').dataset.label") == "Fish"
    page.fill("#one-filter", "Animal")
    page.click("[data-label=Animal] [aria-label='Animal: No']")
    status(page, "Decided: ")
    assert violations(page) == []
    values = {
        one["label"]: one["value"] for one in zoo.call("Mara", "GET", f"items/{item}")["values"]
    }
    assert values["Animal"] is False
    page.click("[aria-label^='Take back: Mara, decided, Animal']")
    status(page, "Taken back: decided, Animal: no.")
    values = {
        one["label"]: one["value"] for one in zoo.call("Mara", "GET", f"items/{item}")["values"]
    }
    assert (values["Animal"], values["Fish"]) == (True, True)
    page.keyboard.press("Escape")
    page.wait_for_selector(".item-row")


def test_many_are_answered_at_once_and_taken_back_at_once(sit, zoo):
    page = look_at(sit(zoo, "Mara"), "items")
    ids = items_of(zoo)[20:23]
    for item in ids:
        page.focus(f".item-row[data-id='{item}'] input")
        page.keyboard.press("Space")
    assert page.inner_text(".many b") == "3 items selected"
    page.click(".many button:has-text('Yes')")
    assert page.inner_text(".many .wrong") == "Choose a label to answer."
    page.fill("#many-label", "food")
    page.press("#many-label", "Tab")
    assert violations(page) == []
    page.click(".many button:has-text('Yes')")
    status(page, "3 items answered, Food: yes.")
    assert page.is_visible(".many :text('Tick items')")

    def foods():
        return zoo.call("Mara", "GET", "item-list?label=Food&state=asked&who=Mara")["total"]

    assert foods() == 3
    page.keyboard.press("Enter")  # the way back has focus
    status(page, "Taken back: 3 answers.")
    assert foods() == 0
    zoo.call(
        "Mara",
        "POST",
        "group-answers",
        {"key": "lot", "items": ids, "label": "Food", "value": True},
    )
    page = look_at(sit(zoo, "Mara"), "answers")
    page.click("button:has-text('Take back the whole group') >> nth=0")
    status(page, "Taken back: 3 answers that were given together")
    assert foods() == 0


def test_all_that_fit_are_selected_on_all_pages(sit, zoo):
    page = look_at(sit(zoo, "Mara"), "items")
    ids = items_of(zoo)
    found(page, f"1 to 50 of {len(ids)} items.")
    page.click(f"button:text-is('Select all {len(ids)} matches')")
    page.wait_for_selector(f".many b:text-is('{len(ids)} items selected')")
    assert page.evaluate("document.activeElement.id") == "many-label"
    assert violations(page) == []
    page.keyboard.type("artefact")
    page.keyboard.press("Tab")
    page.click(".many button:has-text('Can’t tell')")
    status(page, f"{len(ids)} items answered")
    page.click("text=Take all of it back")
    status(page, f"Taken back: {len(ids)} answers.")
    page.fill("#items-search", ids[3])
    page.wait_for_selector(
        "button:text-matches('Select all .* matches')", state="hidden"
    )  # all of them are shown


@pytest.mark.parametrize("screen", [*SCREENS, "touch"])
def test_one_item_and_a_selection_are_clean_on_every_screen(sit, zoo, screen):
    touch = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    mara = sit(zoo, "Mara", **SCREENS.get(screen, touch))
    page = look_at(mara, "items")
    page.wait_for_selector(".item-row input")
    page.locator(".item-row input").first.check()
    page.evaluate("scrollTo(0, 0)")  # what is half under the bar is too small to hit there
    assert violations(page) == []
    assert fits(page)
    page = look_at(mara, f"items/{items_of(zoo)[0]}")
    page.wait_for_selector(".one-labels li")
    assert violations(page) == []
    assert fits(page)


def test_160_labels_and_what_was_brought_along(sit, intents):
    mara = sit(intents, "Mara", viewport={"width": 1280, "height": 900})
    page = look_at(mara, "progress")
    page.wait_for_selector("summary:text-is('All 160 labels')")
    told = intents.call("Mara", "GET", "progress")
    assert (told["asked"], told["saved"]) == (0, 0)
    assert told["settled"] == told["brought"] > 40_000
    assert page.evaluate("document.documentElement.scrollHeight") < 2000
    page.click("summary:text-is('All 160 labels')")
    page.wait_for_selector("table.labels tbody tr >> nth=159")
    assert fits(page)
    assert page.evaluate(
        "(box => box.scrollWidth <= box.clientWidth)(document.querySelector('table.labels').parentElement)"
    )
    page = look_at(mara, "items/q1")
    page.wait_for_selector(".one-labels li")
    page.click("text=Show more of")
    assert page.locator(".one-labels li").count() > 100


def test_yes_and_no_are_never_broken_over_two_lines(sit, zoo):
    ana = sit(zoo, "Ana")
    ana.asked()
    broken = """() => [...document.querySelectorAll('.answer .word')].filter((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1; }).length"""
    for width in (320, 360, 420, 480, 560, 640, 720, 840):
        ana.page.set_viewport_size({"width": width, "height": 760})
        assert ana.page.evaluate(broken) == 0, width
        assert fits(ana.page), width


def test_a_settled_label_is_made_a_gold_question(sit, zoo):
    item = items_of(zoo)[90]
    zoo.answer("Ben", item, "Animal", True)
    page = look_at(sit(zoo, "Mara"), f"items/{item}")
    page.click("[aria-label='Make gold: Animal, yes']")
    status(
        page, f"Gold: “{item}” is an Animal. Nobody is asked it while the setting gold_share is 0."
    )
    assert (
        page.locator(
            "[aria-label='Make gold: Animal, yes']:focus, [data-label=Animal] :focus"
        ).count()
        == 1
    )
    assert page.locator(".log :text('gold answer')").count() == 1
    assert violations(page) == []
    page.click("[aria-label^='Take back: Mara']")
    status(page, "Taken back: ")
