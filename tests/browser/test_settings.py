"""A lead changes settings on the page: every one is there, and what cannot be is told beside its field."""

from __future__ import annotations

import pytest

from corollary.campaign.settings import ABOUT

from .test_annotator import violations
from .test_lead import look_at, status


@pytest.fixture(scope="module")
def set_team(make_team):
    return make_team(20, retrain_every=100_000)


def value(team, name):
    return team.call("Mara", "GET", "settings")[name]


def test_every_setting_is_there_with_what_it_does_and_what_a_change_means(sit, set_team):
    page = look_at(sit(set_team, "Mara"), "settings")
    for name, about in ABOUT.items():
        words = page.inner_text(f".setting:has(code:text-is('{name}'))")
        assert about["does"] in words
        assert f"Changing it now: {about['now']}" in words
    assert page.locator(".setting").count() == len(ABOUT)


def test_a_setting_is_changed_by_keyboard_only_and_set_back(sit, set_team):
    page = look_at(sit(set_team, "Mara"), "settings")
    page.focus("#set-overlap")
    page.keyboard.press("Control+a")
    page.keyboard.type("10 %")
    page.keyboard.press("Enter")
    status(page, f"Overlap: 0 → 0.1. {ABOUT['overlap']['now']}")
    assert value(set_team, "overlap") == 0.1
    assert page.input_value("#set-overlap") == "0.1"
    assert page.evaluate("document.activeElement.id") == "set-overlap"
    page.focus("[aria-label='Set Overlap back to 0']")
    page.keyboard.press("Enter")
    status(page, "Overlap: 0.1 → 0.")
    assert value(set_team, "overlap") == 0
    page.select_option("#set-show_names", "yes")
    page.click("[aria-label='Save Show names']")
    status(page, "Show names: no → yes.")
    assert value(set_team, "show_names") is True
    page.fill("#set-item_cost", "3")
    page.press("#set-item_cost", "Enter")
    status(page, "Item cost: none → 3.")
    page.fill("#set-item_cost", "")
    page.press("#set-item_cost", "Enter")
    status(page, "Item cost: 3 → none.")
    assert value(set_team, "item_cost") is None


def test_what_cannot_be_is_told_beside_the_field(sit, set_team):
    page = look_at(sit(set_team, "Mara"), "settings")
    page.fill("#set-opinions", "many")
    page.press("#set-opinions", "Enter")
    page.wait_for_selector("#set-opinions-wrong:not(:empty)")
    told = page.inner_text("#set-opinions-wrong")
    assert (
        told
        == "The setting 'opinions' must be an integer from 1 to 100, got 'many'. Nothing was changed."
    )
    assert page.get_attribute("#set-opinions", "aria-invalid") == "true"
    assert violations(page) == []
    page.fill("#set-opinions", "2")
    assert page.inner_text("#set-opinions-wrong") == ""
    assert value(set_team, "opinions") == 2
