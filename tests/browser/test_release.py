"""A lead puts a new release of the ontology in force on the page, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from corollary.campaign.items import Item
from corollary.logic.ontology import Ontology

from .test_annotator import violations

FIRST = """format-version: 1.4

[Term]
id: Z:1
name: bird

[Term]
id: Z:2
name: finch
is_a: Z:1

[Term]
id: Z:3
name: odd thing
"""
SECOND = """format-version: 1.4

[Term]
id: Z:1
name: feathered animal
alt_id: Z:2

[Term]
id: Z:4
name: stone

[Term]
id: Z:5
name: <img src=x onerror=document.title='hacked'>

[Term]
id: Z:3
name: obsolete odd thing
is_obsolete: true
consider: Z:4
"""


@pytest.fixture
def team(make_team, tmp_path):
    path = tmp_path / "first.obo"
    path.write_text(FIRST)
    found = make_team(
        items=[Item("robin"), Item("pebble")], onto=Ontology.load(path), retrain_every=100_000
    )
    found.answer("Ana", "robin", "finch", True)
    found.answer("Ana", "pebble", "odd thing", True)
    return found


def labels(team):
    return [one["label"] for one in team.call("Mara", "GET", "ontology")["labels"]]


def open_page(sit, team):
    page = sit(team, "Mara").page
    page.goto(team.address + "#/ontology")
    page.wait_for_selector("#release-file")
    return page


def upload(page, name="second.obo", text=SECOND):
    page.set_input_files(
        "#release-file", {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.click("button:text-is('Preview the release')")


def test_a_release_is_looked_at_put_in_force_and_undone(sit, team):
    page = open_page(sit, team)
    force = page.locator("button:text-is('Put the release in force')")
    upload(page)
    found = page.locator(".release .would-do")
    expect(found).to_contain_text("1 answer out of effect")
    assert "bird → feathered animal" in found.text_content()
    assert "odd thing: retired; consider stone" in found.text_content()
    assert violations(page) == []
    page.fill("[aria-label='odd thing means the same as']", "stone")
    expect(force).to_have_attribute("aria-disabled", "true")  # what was seen is another update
    page.click("button:text-is('Preview the release')")
    expect(force).to_have_attribute("aria-disabled", "false")
    expect(found).not_to_contain_text("answer out of effect")
    assert "bird" in labels(team)
    force.click()
    expect(page.locator(".lead-status")).to_contain_text("is in force")
    assert "feathered animal" in labels(team)
    assert page.title() == "Ontology"  # a name is never markup
    page.click("button:text-is('Undo the release')")
    expect(page.locator(".lead-status")).to_contain_text("taken back")
    assert labels(team) == ["bird", "finch", "odd thing"]


def test_the_server_dies_between_look_and_change_and_another_lead_comes_first(sit, team):
    page = open_page(sit, team)
    force = page.locator("button:text-is('Put the release in force')")
    upload(page)
    expect(force).to_have_attribute("aria-disabled", "false")
    team.kill()
    force.click()
    expect(page.locator(".lead-status")).to_contain_text("cannot be reached")
    team.start()
    assert labels(team) == ["bird", "finch", "odd thing"]
    other = {"name": "other.obo", "text": FIRST + "\n[Term]\nid: Z:9\nname: swan\n"}
    team.call(
        "Mara", "PUT", "ontology/release", {**other, "key": "k", "version": 1, "out_of_effect": 0}
    )
    force.click()
    expect(page.locator(".lead-status")).to_contain_text("the ontology was changed meanwhile")
    assert labels(team) == ["bird", "finch", "odd thing", "swan"]
    page.click("button:text-is('Preview the release')")
    expect(page.locator(".release .would-do")).to_contain_text("swan")
    force.click()
    expect(page.locator(".lead-status")).to_contain_text("Version 3 is in force")


def test_answers_follow_a_label_that_is_renamed_in_the_editor(sit, team):
    page = open_page(sit, team)
    page.wait_for_function("() => document.querySelector('#onto-text').value")
    text = page.input_value("#onto-text").replace("finch", "songbird")
    page.fill("#onto-text", text)
    page.click("button:text-is('Preview the effects')")
    page.click("button:text-is('Move answers to other labels')")
    page.fill("[aria-label='finch means the same as']", "songbird")
    page.click("button:text-is('Preview the release')")
    page.locator("button:text-is('Put the release in force'):not([aria-disabled=true])").click()
    expect(page.locator(".lead-status")).to_contain_text("is in force")
    values = team.call("Mara", "GET", "items/robin")["values"]
    assert [one["value"] for one in values if one["label"] == "songbird"] == [True]


def test_files_that_cannot_be_read_are_refused_on_the_page(sit, team):
    page = open_page(sit, team)
    upload(page, "x.exe", "bird > finch")
    expect(page.locator(".release [role=alert]")).to_contain_text("format of 'x.exe' is not known")
    upload(page, "x.obo", "[Term]\nid Z:1")
    expect(page.locator(".release [role=alert]")).to_contain_text("x.obo")
    force = page.locator("button:text-is('Put the release in force')")
    expect(force).to_have_attribute("aria-disabled", "true")
