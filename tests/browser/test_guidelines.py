"""The lead's guidelines: one key away from each question, and only ever text."""

from __future__ import annotations

import pytest

from .test_annotator import fits, violations
from .test_lead import look_at, status

TEXT = """# What to look at
Take the **narrowest** label that *fits*, as in `bird`.

- birds: wings
- fish: fins

1. look
2. answer

### Further
See [the list](https://example.org/list) and [this](javascript:alert(1)).
<img src=x onerror="alert(1)"> <script>alert(1)</script> <b>plain</b>
"""


@pytest.fixture(scope="module")
def guided(make_team):
    return make_team(20, retrain_every=100_000, guidelines=TEXT)


@pytest.mark.parametrize(
    "how", [{}, {"viewport": {"width": 320, "height": 640}}, {"color_scheme": "dark"}]
)
def test_guidelines_are_one_key_away_and_back(sit, guided, how):
    ana = sit(guided, **how)
    asked = ana.asked()
    assert fits(ana.page)
    ana.press("g")
    ana.page.wait_for_selector("h1:text-is('Guidelines')")
    assert violations(ana.page) == []
    assert fits(ana.page)
    ana.press("g")
    assert ana.asked() == asked
    ana.page.click(".bar >> text=Guidelines")
    ana.page.wait_for_selector("h1:text-is('Guidelines')")
    ana.press("Escape")
    assert ana.asked() == asked


def test_marks_become_elements_and_markup_stays_text(sit, guided):
    ana = sit(guided)
    ana.asked()
    ana.press("g")
    ana.page.wait_for_selector(".guidelines")
    tags = ana.page.locator(".guidelines > *").evaluate_all("all => all.map(one => one.localName)")
    assert tags == ["h2", "p", "ul", "ol", "h3", "p"]
    assert ana.page.inner_text(".guidelines strong") == "narrowest"
    assert ana.page.inner_text(".guidelines em") == "fits"
    assert ana.page.inner_text(".guidelines code") == "bird"
    links = ana.page.locator(".guidelines a").evaluate_all(
        "all => all.map(one => [one.href, one.rel])"
    )
    assert links == [["https://example.org/list", "noopener noreferrer"]]
    assert ana.page.locator(".guidelines :is(img, script, b)").count() == 0
    assert '<img src=x onerror="alert(1)">' in ana.page.inner_text(".guidelines")


def test_a_lead_writes_them_and_open_pages_show_them(sit, make_team):
    team = make_team(20, retrain_every=100_000)
    ana = sit(team)
    ana.asked()
    assert ana.page.locator(".bar >> text=Guidelines").count() == 0
    page = look_at(sit(team, "Mara"), "settings")
    page.fill("#set-guidelines", "# Birds\n\nThey have wings.\n" + "More. " * 200)
    page.click("[aria-label='Save Guidelines']")
    status(page, "Guidelines: none → # Birds")
    assert violations(page) == []
    ana.press("g")
    ana.page.wait_for_selector(".guidelines h2:text-is('Birds')")
    page.fill("#set-guidelines", "x" * 20_001)
    page.click("[aria-label='Save Guidelines']")
    page.wait_for_selector("#set-guidelines-wrong:has-text('a text of at most 20,000 characters')")
