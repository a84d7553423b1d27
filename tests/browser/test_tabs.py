"""Two tabs of one person in a real browser: one asks at a time, the other says so and goes on at a click."""

from __future__ import annotations

import pytest

from .test_annotator import violations

ELSEWHERE = "h1:text-is('Open in another tab')"


@pytest.fixture
def two(sit, make_team):
    """A tab with a question, and another of the same person opened after it."""
    first = sit(make_team(60))
    first.asked()
    second = first.another_tab()
    second.asked()
    first.page.wait_for_selector(ELSEWHERE)
    return first, second


def holds(team, who):
    return {one["item"] for one in team.call("Mara", "GET", "leases") if one["who"] == who}


def test_the_tab_opened_last_asks_and_the_other_goes_on_at_a_click(two):
    first, second = two
    assert violations(first.page) == []
    said = [second.answer() for _ in range(3)]
    second.stored()
    first.press("y")  # nothing is asked here
    first.page.click("button:text-is('Continue here')")
    second.page.wait_for_selector(ELSEWHERE)
    said += [first.answer() for _ in range(3)]
    first.stored()
    team = first.team
    assert team.said("Ana") == said
    assert len({one[:2] for one in said}) == len(said)
    first.press("u")  # also what was said in the other tab can be taken back from here
    first.page.wait_for_function(
        "() => document.querySelector('.said').textContent.startsWith('Taken back')"
    )
    first.stored()
    assert team.said("Ana") == said[:-1]


def test_a_tab_that_is_closed_leaves_the_questions_of_the_other_alone(two):
    first, second = two
    asked = second.asked()
    held = holds(first.team, "Ana")
    assert asked[0] in held
    first.page.close()
    second.page.wait_for_timeout(300)
    assert holds(second.team, "Ana") == held
    assert second.asked() == asked


def test_when_the_asking_tab_is_closed_the_other_goes_on_by_itself(two):
    first, second = two
    said = second.answer()
    second.stored()
    second.page.close(run_before_unload=False)
    first.page.bring_to_front()
    assert first.asked()[0]
    assert first.answer() != said
    first.stored()
    assert len(first.team.said("Ana")) == 2


def test_answers_that_wait_go_out_once_from_the_tab_that_goes_on(two):
    first, second = two
    second.context.set_offline(True)
    said = [second.answer(), second.answer()]
    second.page.wait_for_function(
        "() => document.querySelector('.stored').textContent === '2 waiting'"
    )
    first.page.click("button:text-is('Continue here')")
    second.page.wait_for_selector(ELSEWHERE)
    first.context.set_offline(False)
    first.stored()
    assert first.asked() not in [one[:2] for one in said]
    assert first.team.said("Ana") == said


def test_looking_at_figures_in_another_tab_disturbs_nobody(sit, make_team):
    team = make_team(30)
    mara = sit(team, "Mara")
    asked = mara.asked()
    held = holds(team, "Mara")
    other = mara.context.new_page()
    other.goto(f"{team.address}#/progress")
    other.wait_for_selector(".headline")
    other.close()
    mara.page.wait_for_timeout(300)
    assert mara.asked() == asked
    assert holds(team, "Mara") == held
