"""Names that people can read, in a real browser: codes beside them, no underscores, no article that does not fit."""

from __future__ import annotations

import re

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign

from .conftest import Team
from .test_annotator import violations

BANKING = """
labels: bank, freeze_account, report_fraud, pay_bill, GO:0008150
bank > exclusive: freeze_account, report_fraud, pay_bill
exclusive: bank, GO:0008150
"""
ABOUT = {
    "GO:0008150": {
        "name": "biological process",
        "synonyms": "physiology; life",
        "definition": "It lives.",
    }
}


@pytest.fixture
def bank(tmp_path):
    """A campaign on queries, with underscores and a code among its labels."""
    teams = []

    def make(**settings):
        path = tmp_path / f"bank{len(teams)}.sqlite"
        start = {"labels": ABOUT, **settings}
        things = [{"id": f"q{n}", "text": f"please block my card number {n}"} for n in range(8)]
        with Campaign.create(
            path, things, co.Ontology.parse(BANKING), name="Bank", settings=start, lead="Mara"
        ) as made:
            tokens = {"Mara": made.invite("Mara", "lead"), "Ana": made.invite("Ana", "annotator")}
        teams.append(Team(path, tokens))
        teams[-1].start()
        return teams[-1]

    yield make
    for team in teams:
        team.kill()


def shown(person, place="main"):
    """All text that someone sees."""
    return person.page.inner_text(place)


def test_questions_consequences_and_the_ledger_have_readable_names(bank, sit):
    ana = sit(bank())
    seen = []
    for _ in range(6):
        item, name = ana.asked()
        title = ana.page.inner_text("h1.question")
        assert title == f"Should “{item}” be labelled {name}?"
        seen.append(shown(ana))
        assert seen[-1].count(item) == 1  # not again beside the question
        ana.answer(name in ("freeze account", "bank"))
        ana.stored()
        ana.press("w")
        seen.append(shown(ana))
    text = "\n".join(seen)
    assert "_" not in text
    assert "biological process (GO:0008150)" in text
    assert not re.search(r"\ban? (bank|freeze|report|pay|biological)", text)
    ana.page.goto(f"{ana.team.address}#/history")
    ana.page.wait_for_selector(".history li")
    assert "_" not in shown(ana)
    assert violations(ana.page) == []


def test_a_template_brings_articles_that_fit(bank, sit):
    ana = sit(bank(question="Is {item} a {label}?"))
    item, name = ana.asked()
    assert ana.page.inner_text("h1.question") == f"Is “{item}” a {name}?"
    ana.answer(True)
    assert re.search(rf"is a {re.escape(name)}", ana.ledger())


def test_the_filter_of_a_whole_item_knows_names_codes_and_synonyms(sit, tmp_path):
    labels = [f"some_label_{n}" for n in range(12)]
    onto = co.Ontology([*labels, "GO:0008150"], [co.exclusive(*labels, "GO:0008150")])
    path = tmp_path / "many.sqlite"
    settings = {"labels": ABOUT, "item_cost": 1.0}
    with Campaign.create(
        path, ["a text", "another"], onto, name="Many", settings=settings, lead="Mara"
    ) as made:
        team = Team(path, {"Ana": made.invite("Ana", "annotator")})
    team.start()
    try:
        ana = sit(team)
        ana.page.wait_for_selector("#filter")
        assert "_" not in shown(ana)
        for typed in ("biological pro", "go:0008150", "physiology"):
            ana.page.fill("#filter", typed)
            visible = [
                one.inner_text()
                for one in ana.page.query_selector_all(".option .name")
                if one.is_visible()
            ]
            assert "biological process (GO:0008150)" in visible
            assert not any("some label" in one for one in visible)
    finally:
        team.kill()


def test_leads_see_names_and_change_them(bank, sit):
    team = bank()
    team.answer("Ana", "q1", "pay_bill", True)
    team.answer("Mara", "q1", "report_fraud", True)
    mara = sit(team, "Mara")
    for view, waits in (
        ("progress", ".labels tbody tr"),
        ("conflicts", ".case"),
        ("answers", ".log tbody tr"),
    ):
        mara.page.goto(f"{team.address}#/{view}")
        mara.page.wait_for_selector(waits)
        text = shown(mara)
        assert "pay bill" in text
        assert "pay_bill" not in text
    mara.page.goto(f"{team.address}#/ontology/GO:0008150")
    mara.page.wait_for_selector(".about-label h3")
    assert shown(mara, ".about-label h3") == "biological process (GO:0008150)"
    mara.page.click(".about-label summary")
    assert mara.page.input_value("#synonyms") == "physiology; life"
    mara.page.fill("#label-name", "what lives")
    mara.page.click(".about-label button")
    mara.page.wait_for_selector(".about-label h3:has-text('what lives (GO:0008150)')")
    kept = team.call("Mara", "GET", "settings")["labels"]["GO:0008150"]
    assert kept == {"name": "what lives", "synonyms": "physiology; life", "definition": "It lives."}
    assert violations(mara.page) == []


def test_an_upload_with_a_column_named_like_a_label(sit, tmp_path):
    path, table = tmp_path / "bank.sqlite", tmp_path / "more.csv"
    onto = co.Ontology(["text", "call"])
    with Campaign.create(
        path, [{"id": "q0", "text": "call me"}], onto, name="Bank", lead="Mara"
    ) as made:
        team = Team(path, {"Mara": made.invite("Mara", "lead")})
    team.start()
    try:
        page = sit(team, "Mara").page
        page.goto(f"{team.address}#/export")
        table.write_text("id,text\nq1,hello\nq2,bye\n", encoding="utf-8")
        page.set_input_files("#items-file", table)
        page.click("button:text-is('Add items')")
        page.wait_for_selector(".lead-status.failed")
        assert "neither yes nor no" in page.inner_text(".lead-status")
        page.fill("#text-column", "text")
        page.click("button:text-is('Add items')")
        page.wait_for_selector(".lead-status:has-text('Added 2 items')")
        table.write_text("id,text\nq3,text my mother\nq4,what is left\n", encoding="utf-8")
        page.fill("#text-column", "")
        page.set_input_files("#items-file", table)
        page.click("button:text-is('Add items')")
        page.wait_for_selector(".lead-status:has-text('is read as such')")
        assert [one["text"] for one in team.call("Mara", "GET", "items")["items"]][1:] == [
            "hello", "bye", "text my mother", "what is left",
        ]  # fmt: skip
        assert violations(page) == []
    finally:
        team.kill()
