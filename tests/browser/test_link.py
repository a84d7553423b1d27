"""The way in by a link in a real browser: alone it works once, and the page says where another comes from."""

from __future__ import annotations

import urllib.request

import pytest

from .test_annotator import fits, violations

PHONE = {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark"}


@pytest.fixture
def alone(make_team):
    """A campaign in single user mode."""
    return make_team(30, mode="single")


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_link_works_once_and_then_says_so(browser, page, alone):
    for _ in range(2):
        with urllib.request.urlopen(
            alone.link, timeout=20
        ) as shown:  # to look at it uses nothing up
            assert b"Open the page" in shown.read()
    page.goto(alone.link)
    page.wait_for_selector("h1.question")  # without a press of anything
    again = page.goto(alone.link)
    assert again.status == 401
    page.wait_for_selector("h1:text-is('This link was used already')")
    page.click("text=Go to the page")  # signed in with this browser
    page.wait_for_selector("h1.question")
    for how in ({}, PHONE):
        other = browser.new_context(**how).new_page()
        assert other.goto(alone.link).status == 401
        assert "Start the server again for a new one: the terminal prints it." in other.inner_text(
            "main"
        )
        assert other.title() == "This link was used already"
        assert violations(other) == []
        assert fits(other)
        other.context.close()


#: As where a browser loads a page that nobody sees yet.
AHEAD = """let ahead = true;
Object.defineProperty(document, "visibilityState", { get: () => (ahead ? "hidden" : "visible") });
Object.defineProperty(document, "prerendering", { get: () => ahead });
window.show = (event) => { ahead = false; document.dispatchEvent(new Event(event)); };"""


@pytest.mark.parametrize("event", ["visibilitychange", "prerenderingchange"])
def test_a_link_of_ones_own_waits_until_somebody_sees_its_page(page, alone, event):
    page.add_init_script(AHEAD)
    page.goto(alone.link)
    page.wait_for_load_state("networkidle")
    assert page.url == alone.link
    assert page.title() == "Things"
    assert violations(page) == []
    page.evaluate("event => show(event)", event)
    page.wait_for_url(alone.address)


def test_single_user_mode_asks_for_the_link_of_the_terminal(page, alone):
    page.goto(alone.address)
    page.wait_for_selector("h1:text-is('Please sign in')")
    assert "Open the link that the terminal printed when the server started" in page.inner_text(
        "main"
    )
    assert page.locator("input").count() == 1
    assert violations(page) == []
    page.fill("#token", f"{alone.address}join/nonsense")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]:has-text('This link does not work, or no longer.')")
    alone.kill()
    alone.start()
    page.fill("#token", alone.link)  # the new one
    page.keyboard.press("Enter")
    page.wait_for_selector("h1.question")


def test_a_team_signs_in_by_name_or_by_invite_link(page, team):
    assert page.goto(f"{team.address}join/nonsense").status == 401
    assert "Ask your lead for another invite link." in page.inner_text("main")
    assert violations(page) == []
    page.click("text=Go to the page")
    page.wait_for_selector("h1:text-is('Please sign in')")
    assert page.locator("input").count() == 3
    assert "terminal" not in page.inner_text("main")
