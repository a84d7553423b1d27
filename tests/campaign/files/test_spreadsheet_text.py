"""Texts that a spreadsheet would run: made harmless in exports, as they were in imports."""

from __future__ import annotations

import csv

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import export, text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.files.spreadsheet_text import as_it_was, harmless, unmistakable
from corollary.campaign.items import Item

from .exports.some_answers import ONTO


def test_no_text_is_a_formula_when_it_must_be_safe(tmp_path):
    onto = co.Ontology.parse('labels: "=bird", fish')
    items = [
        Item("=1+1", text='=HYPERLINK("x")'),
        Item("-a", text="@b"),
        Item("plain", text="plain"),
    ]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x") as made:
        for kind in ("csv-items", "csv-long", "csv-wide"):
            plain, safe = (
                list(
                    csv.reader("".join(text_of(take_snapshot(made), kind, safe=safe)).splitlines())
                )
                for safe in (False, True)
            )
            assert any(value.startswith(("=", "-", "@")) for row in plain for value in row)
            assert not any(value.startswith(("=", "-", "@", "+")) for row in safe for value in row)
            assert [[value.removeprefix("'") for value in row] for row in safe] == plain


@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("format", ["csv", "csv-wide"])
def test_an_import_gives_back_what_an_export_made_harmless(tmp_path, format, safe):
    onto = co.Ontology.parse('labels: "=bird", fish, "\'-fish"')
    starts = ("=", "+", "-", "@", "\t", "\r", "'=", "''-", "'a", "")
    items = [Item(f"{start.strip()}{n}", text=f"{start}{n}") for n, start in enumerate(starts)]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x") as made:
        made.add("lead", facts=[(item.id, label, True) for item in items for label in onto.labels])
        export(made, tmp_path / "x.csv", format=format, safe=safe)
        if format == "csv-wide":
            found = check_import(tmp_path / "x.csv", onto)
            assert [(item.id, item.text) for item in found.items()] == [
                (item.id, item.text) for item in items
            ]
        _, facts = read_items(tmp_path / "x.csv", made, form=Form(only_labels=True))
        assert sorted(facts) == sorted(
            (item.id, label, True) for item in items for label in onto.labels
        )


@pytest.mark.parametrize(
    "text", ["＝1+1", "＋1", "－1", "＠a", " =1+1", "\xa0=1", "\u200b=1", "' =1", "\ufeff=1"]
)
def test_signs_of_other_keyboards_and_after_blanks_begin_formulas_too(text):
    assert harmless([text]) == [f"'{text}"]
    assert as_it_was(f"'{text}") == text
    assert as_it_was(*unmistakable([text])) == text


def test_a_cell_is_quoted_where_other_programs_might_end_it(tmp_path):
    items = [Item("a", text="a;=1+1"), Item("b", text="b\t=1+1"), Item("c", text="c")]
    with Campaign.create(tmp_path / "x.sqlite", items, ONTO, name="x") as made:
        text = "".join(text_of(take_snapshot(made), "csv-wide"))
    assert 'a,"a;=1+1",' in text
    assert 'b,"b\t=1+1",' in text
    assert "\nc,c," in text
    assert ";\t" not in text


def test_apostrophes_of_other_peoples_tables_stay(tmp_path):
    (tmp_path / "x.csv").write_text("id,text\na,'-ism is an ending\n", encoding="utf-8")
    assert [item.text for item in check_import(tmp_path / "x.csv", ONTO).items()] == [
        "'-ism is an ending"
    ]
