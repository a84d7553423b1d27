"""Which is it? One of many labels is picked: by its key, by a few letters, or in the tree."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.items import Item

from .test_annotator import fits, focused, violations
from .test_lead import look_at, status

DOMAINS = {
    "travel": [
        "book_flight",
        "book_hotel",
        "car_rental",
        "travel_alert",
        "visa_needed",
        "time_zone",
    ],
    "banking": [
        "freeze_account",
        "balance",
        "transfer_money",
        "interest_rate",
        "pin_change",
        "pay_bill",
    ],
    "kitchen": ["recipe", "calories", "ingredient_swap", "cook_time", "meal_plan", "food_safety"],
}


def ontology(*, none=False):
    top = (co.exclusive if none else co.exactly_one)(*DOMAINS)
    under = [
        one
        for domain, intents in DOMAINS.items()
        for one in (co.subsumes(domain, *intents), co.exclusive(*intents))
    ]
    cover = [co.covers(domain, *intents) for domain, intents in DOMAINS.items()]
    return co.Ontology(
        [*DOMAINS, *(one for intents in DOMAINS.values() for one in intents)], [top, *under, *cover]
    )


def make(make_team, *, none=False, **settings):
    texts = [f"please help me with request {n}" for n in range(12)]
    items = [Item(text, text=text) for text in texts]
    return make_team(items=items, onto=ontology(none=none), **settings)


def best(person):
    return person.page.locator(".best .option").evaluate_all(
        "all => all.map(one => one.dataset.label)"
    )


def test_the_likeliest_nine_have_keys(sit, make_team):
    team = make(make_team)
    ana = sit(team)
    item, label = ana.asked()
    assert label is None  # by itself, nobody set anything
    assert violations(ana.page) == []
    assert len(best(ana)) == 9
    assert not set(best(ana)) & set(DOMAINS)  # a domain alone says too little
    assert ana.page.locator("text=None of these").count() == 0  # one of them is true
    third = best(ana)[2]
    ana.press("3")
    ana.stored()
    assert team.said("Ana") == [(item, None, [third])]
    values = team.call("Mara", "GET", f"items/{item}")["values"]
    domain = next(one for one, intents in DOMAINS.items() if third in intents)
    assert {one["label"] for one in values if one["value"]} == {third, domain}
    assert all(one["value"] is not None for one in values)
    ana.press("u")
    ana.page.wait_for_selector(".best .option")
    ana.stored()
    assert team.said("Ana") == []


def test_a_few_letters_and_enter(sit, make_team):
    team = make(make_team)
    ana = sit(team)
    item, _ = ana.asked()
    ana.press("/")
    assert focused(ana.page) == "INPUT"
    ana.page.keyboard.type("e a")  # the name people read has a space where the label has none
    assert best(ana) == ["freeze_account"]
    assert "1 label found, Enter picks it." in ana.page.inner_text("#found")
    ana.page.fill("#filter", "book")
    assert sorted(best(ana)) == ["book_flight", "book_hotel"]
    ana.page.keyboard.press("Enter")  # goes to the first, and says nothing yet
    assert focused(ana.page) == "BUTTON"
    assert team.said("Ana") == []
    ana.page.fill("#filter", "zzz")
    assert "No open label matches." in ana.page.inner_text("#found")
    ana.page.focus("#filter")
    ana.page.keyboard.press("Enter")  # nothing to pick
    ana.page.keyboard.press("Escape")
    assert len(best(ana)) == 9
    ana.page.fill("#filter", "visa")
    ana.page.keyboard.press("Enter")
    ana.stored()
    assert team.said("Ana") == [(item, None, ["visa_needed"])]


def test_the_tree_has_them_all(sit, make_team):
    team = make(make_team)
    ana = sit(team)
    item, _ = ana.asked()
    ana.press("t")
    assert focused(ana.page) == "BUTTON"
    assert ana.page.locator(".tree-of-all .option:focus").count() == 1
    assert ana.page.locator("h1.headline").is_visible()
    assert ana.page.locator(".tree-of-all .option").count() == 18
    assert ana.page.locator(".tree-of-all .heading").all_inner_texts() == list(DOMAINS)
    assert violations(ana.page) == []
    ana.page.click(".tree-of-all .option[data-label=meal_plan]")
    ana.stored()
    assert team.said("Ana") == [(item, None, ["meal_plan"])]


def test_none_of_these_where_that_can_be(sit, make_team):
    team = make(make_team, none=True)
    ana = sit(team)
    item, _ = ana.asked()
    assert ana.page.locator(".option.none").count() == 1
    ana.press("0")
    ana.stored()
    assert team.said("Ana") == [(item, None, [])]
    assert ana.ledger() == f"You picked none of these for “{item}”"
    item, _ = ana.asked()
    ana.press("n")  # as everywhere
    ana.stored()
    assert team.said("Ana")[-1] == (item, None, [])
    other, _ = ana.asked()
    ana.press("Space")
    ana.stored()
    assert team.said("Ana")[-1] == (other, None, "cant_tell")


@pytest.fixture
def many(make_team):
    """More labels than are sent with a question: 12 kinds of 30."""
    kinds = {f"kind {k}": [f"thing {k} {n}" for n in range(30)] for k in range(12)}
    rules = [
        one
        for kind, under in kinds.items()
        for one in (co.subsumes(kind, *under), co.exclusive(*under))
    ]
    labels = [*kinds, *(one for under in kinds.values() for one in under)]
    onto = co.Ontology(labels, [*rules, co.exclusive(*kinds)])
    items = [Item(f"item {n}", text=f"item {n}") for n in range(8)]
    return make_team(items=items, onto=onto)


STARTS = "([place, words]) => document.querySelector(place).textContent.startsWith(words)"


def found(person, words):
    person.page.wait_for_function(
        "words => document.querySelector('#found').textContent === words", arg=words
    )


def test_of_very_many_the_server_finds_those_that_were_not_sent(sit, many):
    ana = sit(many)
    item, _ = ana.asked()
    assert ana.page.inner_text(".find label").startswith("Find one of 372")
    ana.press("/")
    ana.page.keyboard.type("thing 11 2")
    found(ana, "11 labels found, Enter picks the first.")  # 2, and 20 to 29
    assert best(ana)[0] == "thing 11 2"
    assert violations(ana.page) == []
    ana.page.fill("#filter", "thing 9 17")
    ana.page.keyboard.press("Enter")  # before the server has answered
    ana.page.wait_for_selector(".said :text('thing 9 17')")
    ana.stored()
    assert many.said("Ana") == [(item, None, ["thing 9 17"])]
    ana.press("u")
    ana.page.wait_for_selector(f"h1.question:text-is('{item}')")
    ana.stored()
    assert many.said("Ana") == []
    assert ana.ledger() == f"Taken back: thing 9 17 for “{item}”"


def test_of_very_many_the_tree_comes_a_branch_at_a_time(sit, many):
    ana = sit(many)
    item, _ = ana.asked()
    ana.press("t")
    ana.page.wait_for_selector(".tree-of-all details >> nth=11")
    assert (
        ana.page.locator(".tree-of-all .option").count() == 12
    )  # a kind alone may be all there is to say
    ana.page.click(".tree-of-all summary:text-is('kind 7')")
    ana.page.wait_for_selector(".tree-of-all .option[data-label='thing 7 29']")
    assert violations(ana.page) == []
    assert fits(ana.page)
    ana.page.click(".tree-of-all .option[data-label='thing 7 11']")
    ana.stored()
    assert many.said("Ana") == [(item, None, ["thing 7 11"])]


def test_of_very_many_it_says_what_it_cannot_find_offline(sit, many):
    ana = sit(many)
    ana.asked()
    first = best(ana)[0]
    ana.context.set_offline(True)
    ana.page.fill("#filter", first)
    ana.page.wait_for_function(STARTS, arg=["#found", "The search covered only the 200 likeliest"])
    assert best(ana)[0] == first
    ana.page.focus("#filter")
    ana.page.keyboard.press("Enter")  # another may be called so: it is gone to, not picked
    assert focused(ana.page) == "BUTTON"
    ana.page.click("text=All, as a tree")
    ana.page.wait_for_selector(".tree-of-all :text('The labels did not load.')")
    ana.context.set_offline(False)
    ana.page.click("text=Try again")
    ana.page.wait_for_selector(".tree-of-all details >> nth=11")


def test_a_lead_picks_on_the_page_of_an_item(sit, make_team):
    team = make(make_team, none=True)
    item = "please help me with request 3"
    mara = sit(team, "Mara")
    page = look_at(mara, f"items/{item}")
    page.wait_for_selector(".pick-place .best .option")
    assert violations(page) == []
    page.focus("#filter")
    page.keyboard.type("visa")
    page.keyboard.press("Enter")
    status(page, "Answered: ")
    assert "settled" not in page.inner_text(".lead-status")  # it is labelled, that is all
    assert page.locator(".pick-place .option").count() == 0  # nothing is open any more
    page.click("[aria-label^='Take back: Mara']")
    status(page, "Taken back: ")
    page.wait_for_selector(".pick-place .best .option")
    second = best(mara)[1]
    page.keyboard.press("2")
    status(page, "Answered: ")
    values = team.call("Mara", "GET", f"items/{item}")["values"]
    assert second in [one["label"] for one in values if one["value"]]
    page.click("[aria-label^='Take back: Mara'] >> nth=0")
    page.wait_for_selector(".pick-place .best .option")
    page.click(".pick-place button:text-is('Can’t tell')")
    status(page, "You can’t tell what")


def test_what_people_settled_who_can_be_wrong_is_not_called_open(sit, make_team):
    team = make(make_team, none=True, fallible=True, retrain_every=100_000)
    item = "please help me with request 3"
    team.answer("Ana", item, None, ["visa_needed"])
    page = look_at(sit(team, "Mara"), f"items/{item}")
    page.wait_for_selector(".pick-place h2")
    assert page.locator("main >> text=labelled").count() == 1
    assert page.locator("text=every label is settled").count() == 0
    assert page.inner_text(".pick-place h2") == "Which would you say it is?"
    assert "open label" not in page.inner_text("main")


def test_of_very_many_labels_of_an_item_the_others_come_when_they_are_looked_for(sit, many):
    mara = sit(many, "Mara")
    asked = []
    mara.page.on(
        "request", lambda one: "api/items/" in one.url and asked.append(one.url.partition("?")[2])
    )
    page = look_at(mara, "items/item 3")
    page.wait_for_selector(".one-labels li")
    assert set(asked) == {"values=200"}
    assert page.locator("text=not labelled yet").count() == 1
    assert (
        page.inner_text(".row button:has-text('Show more of')") == "Show more of 347 further labels"
    )
    page.fill("#one-filter", "thing 11 2")
    page.wait_for_selector("[data-label='thing 11 29']")
    assert page.locator(".one-labels li").count() == 11
    assert asked[-1] == ""
    page.click("[data-label='thing 11 2'] [aria-label='thing 11 2: Yes']")
    status(page, "372 labels settled.")
    page.wait_for_selector("[data-label='thing 11 2'] .note:has-text('yes, asked')")
    assert page.locator(".one-labels li").count() == 11  # what was looked for is still there
    page.fill("#one-filter", "")
    assert page.locator(".one-labels li").count() == 25
    page.click("text=Show more of")
    assert page.locator(".one-labels li").count() == 125


@pytest.mark.parametrize(("width", "touch"), [(360, True), (720, False)])
def test_narrow_windows_and_touch(sit, make_team, width, touch):
    team = make(make_team, none=True)
    ana = sit(team, viewport={"width": width, "height": 740}, has_touch=touch)
    item, _ = ana.asked()
    assert fits(ana.page)
    ana.page.click("text=All, as a tree")
    ana.page.wait_for_selector(".tree-of-all .option")
    assert fits(ana.page)
    assert violations(ana.page) == []
    first = best(ana)[0]
    (ana.page.tap if touch else ana.page.click)(".best .option")
    ana.stored()
    assert team.said("Ana") == [(item, None, [first])]


def test_yes_or_no_where_that_is_wanted(sit, make_team):
    team = make(make_team, pick="never")
    ana = sit(team)
    _, label = ana.asked()
    assert label is not None


#: Texts of every length, up to those that are a column beside the options.
LENGTHS = (12, 55, 110, 200, 239, 240, 900)


def make_texts(make_team, **settings):
    words = "my card payment did not work although there was enough money in the account and nobody could say why "
    items = [Item(f"id {n}", text=(words * 9)[:n].rstrip().ljust(n, "?")) for n in LENGTHS]
    return make_team(items=items, onto=ontology(none=True), by_chance=0, **settings)


#: Whether each option is in the window, and not under the dock.
IN_VIEW = """() => [...document.querySelectorAll(".best .option, .besides .option")].map((one) => {
  const [box, dock] = [one.getBoundingClientRect(), document.querySelector(".dock").getBoundingClientRect()];
  return box.top >= 0 && box.bottom <= dock.top && box.left >= 0 && box.right <= innerWidth;
})"""
TOP = "() => document.querySelector('.best').getBoundingClientRect().top"


@pytest.mark.parametrize(
    "how",
    [
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    ],
    ids=["1280", "1440 dark", "phone"],
)
def test_all_nine_are_in_view_and_stay_where_they_are(sit, make_team, how):
    ana = sit(make_texts(make_team), **how)
    tops = []
    for _ in LENGTHS:
        ana.page.wait_for_selector(".best .option")
        assert len(best(ana)) == 9
        assert ana.page.evaluate(IN_VIEW) == [True] * 11
        assert fits(ana.page)
        tops.append(ana.page.evaluate(TOP))
        before = ana.page.query_selector(".best")
        ana.page.click(".best .option")
        ana.page.wait_for_function("old => !old.isConnected", arg=before)
    assert tops == pytest.approx([tops[0]] * len(LENGTHS), abs=1)


@pytest.mark.parametrize("width", [320, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_every_length_are_clean(sit, make_team, width, scheme):
    ana = sit(make_texts(make_team), viewport={"width": width, "height": 800}, color_scheme=scheme)
    for _ in LENGTHS:
        ana.page.wait_for_selector(".best .option")
        assert violations(ana.page) == []
        assert fits(ana.page)
        before = ana.page.query_selector(".best")
        ana.press("1")
        ana.page.wait_for_function("old => !old.isConnected", arg=before)


def test_a_long_text_is_a_column_and_ids_are_shown_on_request(sit, make_team):
    ana = sit(make_texts(make_team, pick_question="What does this customer want?"))
    seen = set()
    for _ in LENGTHS:
        ana.page.wait_for_selector(".best .option")
        ana.page.click(".item-id summary")
        length = int(ana.page.inner_text(".item-id span").removeprefix("id "))
        seen.add(length)
        assert (ana.page.locator(".beside").count() == 1) == (length >= 240)
        text = ana.page.inner_text(".beside .item .text" if length >= 240 else "h1.headline")
        assert len(text) == length
        assert ana.page.inner_text("#options-title") == "What does this customer want?"
        assert "settle" not in ana.page.inner_text(".pick-ask")
        before = ana.page.query_selector(".best")
        ana.press("1")
        ana.page.wait_for_function("old => !old.isConnected", arg=before)
    assert seen == set(LENGTHS)


def test_an_exact_name_wins_over_longer_ones(sit, make_team):
    labels = ["card", "card arrival", "lost card", *(f"other {n}" for n in range(9))]
    items = [Item(f"request {n}", text=f"request {n}") for n in range(6)]
    team = make_team(items=items, onto=co.Ontology(labels, [co.exactly_one(*labels)]))
    ana = sit(team)
    item, _ = ana.asked()
    ana.press("/")
    ana.page.keyboard.type("Card")
    assert best(ana)[0] == "card"
    assert ana.page.inner_text("#found") == "3 labels found, Enter picks the first."
    ana.page.keyboard.press("Enter")
    ana.stored()
    assert team.said("Ana") == [(item, None, ["card"])]


def test_arrows_go_by_the_grid(sit, make_team):
    ana = sit(make(make_team, none=True))
    ana.asked()
    ana.page.focus(".best .option")
    order = best(ana)
    for arrow, n in (
        ("ArrowRight", 1),
        ("ArrowDown", 4),
        ("ArrowLeft", 3),
        ("ArrowDown", 6),
        ("ArrowUp", 3),
    ):
        ana.press(arrow)
        assert ana.page.evaluate("document.activeElement.dataset.label") == order[n]


def test_the_bar_counts_items_where_one_label_holds_for_each(sit, make_team):
    ana = sit(make(make_team))
    ana.asked()
    assert ana.page.inner_text(".campaign") == "Things · 0 of 12 items labelled"
    assert ana.page.locator(".bar .saved").inner_text() == ""
    ana.press("1")
    ana.page.wait_for_selector(".campaign:has-text('1 of 12 items labelled')")


def test_the_page_of_progress_tells_items_where_one_label_holds_for_each(sit, make_team):
    team = make(make_team, retrain_every=100_000, pick="always")
    for k in range(5):
        team.answer("Ana", f"please help me with request {k}", None, ["visa_needed"])
    page = look_at(sit(team, "Mara"), "progress")
    page.wait_for_selector(".headline dt span:text-is('Items labelled')")
    told = page.inner_text(".headline")
    assert "5 of 12" in told
    assert "7 at most" in told  # questions: one for each open item
    assert "one for each open item" in told
    assert page.inner_text(".curve h2") == "Items labelled by questions asked"
    assert "12 items" in page.inner_text(".chart")
    assert "cell" not in page.inner_text("main").lower()  # not even in the tables
    rows = page.locator("table.numbers tbody tr.today td").all_inner_texts()
    assert rows == ["5"]
    assert violations(page) == []
