"""An annotator's day in a real browser: keys, undo, contradictions, lost connections, small screens, axe."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.items import Item
from corollary.campaign.labels.label_places import Places

from .conftest import THINGS, TRUTH

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
NOBODY = {"skipped": 0, "with_others": 0, "others": [], "free_at": None, "held": 0}
#: What the server sends with everything.
OURS = {"X-Corollary": "1"}
BROKEN = {
    "error": {"code": "server_error", "message": "The server had an error.", "hint": "Try again."}
}


#: Waits until no colour is on its way to another.
SETTLED = """async () => {
  const running = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(running.map((one) => one.finished));
}"""
#: Runs axe; what is fine is not told, which takes longer than to find it.
AXE = "async (rules) => (await axe.run(document, { runOnly: rules, resultTypes: ['violations'] })).violations"


def violations(page):
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(SETTLED)
    found = page.evaluate(AXE, list(RULES))
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def fits(page):
    """Whether nothing scrolls sideways."""
    return page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )


def focused(page):
    return page.evaluate("document.activeElement.tagName")


def test_thirty_questions_by_keyboard_only(sit, make_team):
    team = make_team(90)
    ana = sit(team)
    said = [ana.answer() for _ in range(30)]
    ana.stored()
    assert team.said("Ana") == said
    assert "You said" in ana.ledger()
    assert focused(ana.page) == "H1"
    assert ana.page.title() == ana.page.inner_text("h1")


def test_the_keys_are_shown_and_a_held_key_answers_once(sit, team):
    ana = sit(team, "Chen")
    ana.asked()
    assert ana.page.inner_text("#answer-yes .keys") == "Y\nA"
    assert ana.page.get_attribute("#answer-no", "aria-keyshortcuts") == "N X"
    before = len(team.said("Chen"))
    ana.page.keyboard.down("n")
    for _ in range(5):
        ana.page.keyboard.down("n")  # the system repeats a key that is held
    ana.page.keyboard.up("n")
    ana.stored()
    assert len(team.said("Chen")) == before + 1


def test_keys_can_be_changed_and_switched_off(sit, team):
    chen = sit(team, "Chen")
    asked = chen.asked()
    chen.press("?")
    chen.page.wait_for_selector("text=Change keys")
    chen.page.click("text=Change keys")
    chen.page.click("[aria-label='Change the key for Yes']")
    chen.press("j")
    chen.page.wait_for_selector("text=Yes is on J now.")
    chen.press("Escape")
    assert chen.asked() == asked
    assert chen.page.inner_text("#answer-yes .keys") == "J"
    chen.press("y")
    chen.press("Control+j")
    assert chen.asked() == asked
    chen.page.goto(f"{team.address}#/keys")
    chen.page.uncheck("text=Answer with single keys")
    chen.page.goto(f"{team.address}#/")
    assert chen.asked() == asked
    chen.press("j")
    assert chen.asked() == asked
    assert not chen.page.is_visible("#answer-yes .keys")


def test_space_on_a_button_presses_the_button_alone(sit, team):
    chen = sit(team, "Chen")
    item, label = chen.asked()
    chen.page.focus("#answer-no")
    chen.press("Space")
    chen.stored()
    assert team.said("Chen")[-1] == (item, label, False)
    assert focused(chen.page) == "H1"


def test_undo_takes_back_what_followed_and_asks_again(sit, team):
    ana = sit(team)
    first = ana.answer()
    second = ana.answer()
    ana.stored()
    assert team.said("Ana")[-2:] == [first, second]
    assert "Undo" in ana.page.inner_text(".undo")
    for said in (second, first):
        ana.press("u")
        ana.page.wait_for_function(
            "() => document.querySelector('.said').textContent.startsWith('Taken back')"
        )
        assert ana.asked() == said[:2]
        ana.stored()
        assert said not in team.said("Ana")


def test_undo_of_an_answer_from_before_a_reload(sit, team):
    ana = sit(team)
    said = ana.answer()
    ana.stored()
    ana.page.evaluate("sessionStorage.clear()")  # as in a new tab
    ana.page.reload()
    ana.asked()
    ana.page.wait_for_function(
        "() => !document.querySelector('.undo').hasAttribute('aria-disabled')"
    )
    ana.press("Backspace")
    ana.page.wait_for_function(
        "item => document.querySelector('h1').textContent.includes(item)", arg=said[0]
    )
    assert ana.asked() == said[:2]
    ana.stored()
    assert said not in team.said("Ana")


def test_history_takes_back_any_answer(sit, team):
    dora = sit(team, "Dora")
    first, second = dora.answer(), dora.answer()
    dora.stored()
    dora.press("h")
    dora.page.wait_for_selector(".history li")
    dora.page.click(f".history li:has-text('“{first[0]}”') >> text=Take back")
    dora.stored()
    dora.page.wait_for_selector(".history .gone")
    assert first not in team.said("Dora")
    assert second in team.said("Dora")


def test_cant_tell_skip_and_flag(sit, team):
    dora = sit(team, "Dora")
    item, label = dora.asked()
    dora.press("Space")
    dora.page.wait_for_selector("text=Nothing is settled; someone else may get the question.")
    dora.stored()
    assert team.said("Dora")[-1] == (item, label, "cant_tell")
    item, label = dora.asked()
    dora.press("s")
    dora.page.wait_for_selector(f"text=“{item}” comes back at the end.")
    dora.stored()
    assert team.said("Dora")[-1] == (item, label, "skip")
    item, label = dora.asked()
    dora.press("f")
    dora.page.check("text=The text is broken or missing")
    dora.page.fill("#flag-note", "no yes, nothing: keys are silent here")
    dora.page.click("text=Flag and go on")
    dora.page.wait_for_selector(f"text=“{item}” is flagged.")
    dora.stored()
    flag = team.call("Dora", "GET", "history?limit=1")["events"][0]
    assert (flag["kind"], flag["item"], flag["label"], flag["detail"]["reason"]) == (
        "flag",
        item,
        label,
        "text",
    )
    assert dora.asked()[0] != item


def test_a_rule_that_looks_wrong_is_named(sit, team):
    ben = sit(team, "Ben")
    item, label = ben.asked()
    ben.press("f")
    assert not ben.page.is_visible(".which-rule")
    ben.page.check("text=A rule looks wrong")
    rules = [one for one in team.call("Ben", "GET", "ontology")["rules"] if label in one["labels"]]
    shown = ben.page.locator(".rule-list input")
    assert {one.get_attribute("value") for one in shown.all()} <= {
        "",
        *(one["text"] for one in rules),
    }
    assert shown.count() == min(len(rules), 8) + 1
    assert violations(ben.page) == []
    ben.page.fill("#flag-find", "no such words")  # no rule says this
    ben.page.wait_for_selector("text=No rule has these words.")
    ben.page.fill("#flag-find", "bird")  # any rule can be found, also one about other labels
    ben.page.click(".rule-list .choice:has-text('Bird') >> nth=0")
    chosen = ben.page.locator(".rule-list input:checked").get_attribute("value")
    ben.page.fill("#flag-find", "plant")
    assert ben.page.locator(".rule-list input:checked").get_attribute("value") == chosen
    ben.page.click("text=Flag and go on")
    ben.page.wait_for_selector(f"text=“{item}” is flagged.")
    ben.stored()
    flag = team.call("Ben", "GET", "history?limit=1")["events"][0]
    assert flag["detail"] == {"reason": "rule", "note": "", "rule": chosen}
    assert chosen in [one["text"] for one in team.call("Ben", "GET", "ontology")["rules"]]


def test_what_was_skipped_comes_back_at_the_end(sit, make_team):
    team = make_team(1)
    ana = sit(team)
    for _ in range(len(THINGS.onto)):
        ana.page.wait_for_selector("h1.question, article.state")
        ana.press("s")
        ana.stored()
    ana.page.wait_for_selector("h1:has-text('you skipped')")
    assert violations(ana.page) == []
    ana.page.click("button:text-is('Answer them now')")
    said = ana.answer()
    ana.stored()
    assert team.said("Ana")[-1] == said


def test_why_tells_the_chain(sit, team):
    ana = sit(team)
    for _ in range(30):
        ana.answer()
        if ana.page.is_visible(".why"):
            break
    ana.press("w")
    lines = ana.page.locator(".chain li")
    assert lines.count() >= 2
    assert "you, just now" in lines.nth(0).inner_text()
    assert ana.page.get_attribute(".why", "aria-expanded") == "true"
    ana.press("w")
    assert not ana.page.is_visible(".chain")


def clash(person, team, by="Ben"):
    """Let someone say what the next yes cannot be true with; what is asked, and what they said."""
    apart = {
        "Vertebrate": "Place",
        "Place": "Vertebrate",
        "Artefact": "Vertebrate",
        "Food": "Place",
        "Living": "City",
    }
    for _ in range(40):
        item, label = person.asked()
        known = team.call("Mara", "GET", f"items/{item}")["values"]
        if label in apart and all(one["value"] is None for one in known):
            team.answer(by, item, apart[label], True)
            person.press("y")
            person.page.wait_for_selector("article.clash")
            return item, label, apart[label]
        person.answer()
    raise AssertionError("no question came that someone could contradict")


def test_a_contradiction_is_told_line_by_line_and_taken_back(sit, team):
    ana = sit(team)
    item, label, other = clash(ana, team)
    page = ana.page
    assert page.inner_text("h1") == "These can’t all be true"
    assert focused(page) == "H1"
    lines = page.locator(".lines li")
    assert label in lines.nth(0).inner_text()
    assert other in lines.nth(1).inner_text()
    assert "would be" in lines.last.inner_text()
    assert "settles nothing yet" in ana.ledger()
    assert violations(page) == []
    page.wait_for_timeout(600)  # keys meant for the question before are not taken
    ana.press("1")
    page.wait_for_selector("h1.question:has-text('?')")
    ana.stored()
    assert (item, label, True) not in team.said("Ana")
    assert (item, other, True) in team.said("Ben")


def test_a_contradiction_because_of_a_rule_goes_to_the_lead(sit, team):
    ana = sit(team)
    item, label, _ = clash(ana, team)
    ana.page.wait_for_timeout(600)
    ana.press("3")
    ana.page.fill("#rule-note", "is this so?")
    ana.page.click("text=Send and go on")
    ana.page.wait_for_selector("h1.question:has-text('?')")
    ana.stored()
    doubt = team.call("Ana", "GET", "history?limit=1")["events"][0]
    assert (doubt["kind"], doubt["item"], doubt["detail"]["note"]) == ("doubt", item, "is this so?")
    assert len(doubt["detail"]["rules"]) == 1
    assert (item, label, True) in team.said("Ana")


def test_a_contradiction_with_oneself_is_mended_by_changing_the_earlier_answer(sit, team):
    ana = sit(team)
    item, label, _ = clash(ana, team, by="Ana")
    assert ana.page.inner_text(".way:nth-of-type(2) .title") == "My earlier answer"
    ana.page.click(".way:nth-of-type(2)")
    ana.page.wait_for_selector("text=Changed:")
    ana.stored()
    assert (item, label, True) in team.said("Ana")
    assert not team.call("Mara", "GET", f"items/{item}")["conflicts"]


def test_answers_survive_a_reload(sit, team):
    ana = sit(team)
    ana.answer()
    ana.stored()
    before = len(team.said("Ana"))
    ana.page.route("**/api/answers", lambda route: route.abort())
    said = [ana.answer(), ana.answer()]
    ana.page.wait_for_function(
        "() => document.querySelector('.stored').textContent === '2 waiting'"
    )
    ana.page.reload()
    assert ana.asked() not in [one[:2] for one in said]
    ana.page.unroute("**/api/answers")
    ana.stored()
    assert team.said("Ana")[before:] == said


def test_a_server_that_is_killed_and_comes_back(sit, make_team):
    team = make_team(60)
    ana = sit(team)
    said = [ana.answer() for _ in range(3)]
    ana.stored()
    team.kill()
    said += [ana.answer(), ana.answer()]
    ana.page.wait_for_selector(
        "text=/2 answers (wait|are safe) on this device/"
    )  # with or without more at hand
    assert violations(ana.page) == []
    ana.press("n")  # what is left at hand
    team.start()
    ana.stored()
    ana.asked()
    assert team.said("Ana")[:5] == said
    assert len({one[:2] for one in team.said("Ana")}) == len(team.said("Ana"))
    assert ana.page.inner_text("#notices") == ""
    said = ana.answer()
    ana.stored()
    assert team.said("Ana")[-1] == said


def test_an_answer_that_is_not_stored_is_tried_again(sit, team):
    ana = sit(team)
    ana.asked()
    ana.page.route("**/api/answers", lambda route: route.fulfill(status=500, json=BROKEN))
    said = ana.answer()
    ana.page.wait_for_selector(
        f"[role=alert]:has-text('Your answer about “{said[0]}” was not stored.')"
    )
    assert violations(ana.page) == []
    ana.page.unroute("**/api/answers")
    ana.page.evaluate(
        "document.querySelector('.notice button')?.click()"
    )  # unless it went out by itself just now
    ana.stored()
    assert team.said("Ana")[-1] == said


def test_two_people_at_once(sit, make_team):
    team = make_team(60)
    people = [sit(team, "Ana"), sit(team, "Ben")]
    said = {"Ana": [], "Ben": []}
    for _ in range(12):
        asked = [person.asked() for person in people]
        assert asked[0][0] != asked[1][0]
        for person in people:
            said[person.who].append(person.answer())
    for person in people:
        person.stored()
        assert team.said(person.who) == said[person.who]
    assert not set(said["Ana"]) & set(said["Ben"])


def test_a_pause_shows_and_ends_by_itself(sit, make_team):
    team = make_team(30)
    ana = sit(team)
    ana.asked()
    team.call("Mara", "POST", "pause", {"paused": True})
    ana.page.reload()
    ana.page.wait_for_selector("h1:text-is('Paused')")
    ana.page.wait_for_selector("text=/The lead paused the questions at \\d\\d:\\d\\d/")
    assert violations(ana.page) == []
    team.call("Mara", "POST", "pause", {"paused": False})
    ana.asked()


def test_signed_out_and_in_again_loses_nothing(sit, team):
    ana = sit(team)
    ana.asked()
    ana.context.clear_cookies()
    item, label = ana.asked()
    ana.press("n")
    ana.page.wait_for_selector("h1:text-is('Please sign in again')")
    assert "1 answer waits on this device" in ana.page.inner_text("main")
    ana.page.click("button:text-is('Sign in')")
    assert violations(ana.page) == []
    ana.page.fill("#token", team.tokens["Ana"])
    ana.press("Enter")
    ana.asked()
    ana.stored()
    assert team.said("Ana")[-1] == (item, label, False)


def test_whole_items(sit, make_team):
    team = make_team(30, item_cost=1.0)
    ana = sit(team)
    item, label = ana.asked()
    assert label is None
    assert violations(ana.page) == []
    under = Places(THINGS.onto).children
    narrowest = {one for one in TRUTH[item] if not TRUTH[item] & set(under.get(one, ()))}
    for one in narrowest:
        ana.page.click(f".option:has(.name:text-is('{one}'))")
    assert set(ana.page.locator(".option[aria-pressed=true] .name").all_inner_texts()) == narrowest
    ana.page.focus("h1")
    ana.press("Enter")
    ana.page.wait_for_selector("text=is done.")
    ana.stored()
    values = team.call("Mara", "GET", f"items/{item}")["values"]
    assert {one["label"] for one in values if one["value"]} == TRUTH[item]


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (720, 450), (1440, 900), (2560, 1440)])
def test_every_size_fits_and_axe_is_content(sit, team, size):
    person = sit(team, "Dora", viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    for theme in ("light", "dark"):
        person.page.emulate_media(color_scheme=theme)
        person.answer()
        person.stored()
        assert fits(person.page), theme
        assert violations(person.page) == [], theme


@pytest.mark.parametrize(
    "how", [{"forced_colors": "active"}, {"reduced_motion": "reduce"}, {"contrast": "more"}]
)
def test_wishes_of_the_system_are_honoured(sit, team, how):
    person = sit(team, "Dora", **how)
    person.answer()
    assert violations(person.page) == []
    if "reduced_motion" in how:
        assert (
            person.page.evaluate(
                "getComputedStyle(document.querySelector('.answer')).transitionDuration"
            )
            == "0s"
        )


def test_a_phone(sit, team):
    how = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    dora = sit(team, "Dora", **how)
    item, label = dora.asked()
    page = dora.page
    assert fits(page)
    assert not page.is_visible("#answer-yes .keys")
    box = page.locator("#answer-yes").bounding_box()
    assert box["height"] >= 72
    assert box["y"] + box["height"] <= 844
    for button in page.locator("button:visible").all():
        assert button.bounding_box()["height"] >= 28
    page.tap("#answer-no")
    dora.stored()
    assert team.said("Dora")[-1] == (item, label, False)
    assert page.locator("#answer-yes").bounding_box()["y"] == box["y"]  # answers never move


@pytest.mark.parametrize("route", ["history", "keys", "you"])
def test_pages_about_oneself(sit, team, route):
    dora = sit(team, "Dora")
    dora.asked()
    dora.page.goto(f"{team.address}#/{route}")
    dora.page.wait_for_selector("article.page h1")
    assert focused(dora.page) == "H1"
    assert violations(dora.page) == []
    dora.press("Escape")
    dora.asked()


def test_the_theme_is_remembered(sit, team):
    dora = sit(team, "Dora", color_scheme="light")
    dora.page.goto(f"{team.address}#/you")
    dora.page.check("text=Dark")
    dora.page.reload()
    dora.page.wait_for_selector("article.page h1")
    assert (
        dora.page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")
        == "rgb(18, 22, 20)"
    )


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("empty", "No questions yet"),
        ("waiting", "Nothing for you right now"),
        ("finished", "Every label is settled"),
        ("paused", "Paused"),
    ],
)
def test_why_there_is_no_question(sit, team, state, title):
    dora = sit(team, "Dora")
    waiting = {**NOBODY, "with_others": 6, "free_at": "2026-11-15T12:05:00+00:00"}
    dora.page.route(
        "**/api/questions",
        lambda route: route.fulfill(
            json={"questions": [], "state": state, "waiting": waiting}, headers=OURS
        ),
    )
    dora.page.reload()
    dora.page.wait_for_selector(f"h1:text-is('{title}')")
    assert violations(dora.page) == []
    assert fits(dora.page)


def test_a_question_that_takes_long_shows_still_bars(sit, team):
    dora = sit(team, "Dora")
    dora.page.route(
        "**/api/questions", lambda route: dora.page.wait_for_timeout(1) and route.abort()
    )
    dora.page.reload()
    dora.page.wait_for_selector(".bars")
    assert violations(dora.page) == []
    dora.page.unroute("**/api/questions")


#: Words on buttons that are broken in two, or stick out of their button.
CUT = """() => [...document.querySelectorAll("button, .button")].filter((one) => one.offsetParent).flatMap((one) => {
    const found = [], range = document.createRange(), box = one.getBoundingClientRect();
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
            range.setStart(texts.currentNode, word.index);
            range.setEnd(texts.currentNode, word.index + word[0].length);
            const parts = [...range.getClientRects()].filter((part) => part.width > 1);
            const broken = new Set(parts.map((part) => Math.round(part.top))).size > 1;
            const out = parts.some((part) => part.right > box.right + 1 || part.left < box.left - 1);
            if (broken || out) found.push(word[0]);
        }
    }
    return found;
})"""


def test_a_narrow_window_of_a_desktop_shows_whole_words_on_the_buttons(sit, team):
    chen = sit(team, "Chen")  # a mouse and keys: their caps are shown
    for width in (320, 360, 390, 448, 640):
        chen.page.set_viewport_size({"width": width, "height": 844})
        chen.page.goto(f"{team.address}#/")
        chen.asked()
        assert chen.page.locator("#answer-yes .keys").is_visible()
        assert chen.page.evaluate(CUT) == [], width
        assert fits(chen.page), width
        for route, title in (("history", "Your answers"), ("keys", "Keys"), ("you", "Chen")):
            chen.page.goto(f"{team.address}#/{route}")
            chen.page.wait_for_selector(f"main h1:text-is('{title}')")
            assert chen.page.evaluate(CUT) == [], (width, route)


def test_a_soft_rule_is_no_reason(sit, make_team):
    """It stands first, and mentions just what the reason does, but nothing follows from it."""
    onto = co.Ontology.parse("rule (weight 2): bird >> wings\nrule: bird >> wings")
    ana = sit(make_team(items=[Item(name, text=name) for name in ("robin", "trout")], onto=onto))
    _, label = ana.asked()
    ana.answer(label == "bird")  # a bird has wings, without wings it is none
    assert ana.page.text_content("#why li:last-child .whence") == "rule: If bird, then wings"
