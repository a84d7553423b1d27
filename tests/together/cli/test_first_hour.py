"""The first hour with one's own data, as far as a script can walk it: from a table to answered picks to an export."""

from __future__ import annotations

import csv

import pytest
from click.testing import CliRunner

from corollary.campaign.campaign import Campaign
from corollary.cli import main
from corollary.experiment.data.tables import read_table

from ...real_data import data_path

pytestmark = pytest.mark.slow

ITEMS, KNOWN, PICKS = 600, 300, 200


def run(*arguments, keys=""):
    result = CliRunner().invoke(main, [str(one) for one in arguments], input=keys)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def table(tmp_path):
    """Customer queries, the intent of the first ones known, in a column called like an intent: text."""
    frame = read_table(data_path("clinc150", "clinc150.parquet"))
    frame = frame[frame["intent"] != ""].sample(ITEMS, random_state=0).reset_index(drop=True)
    truth = {f"q{n}": intent for n, intent in enumerate(frame["intent"])}
    path = tmp_path / "queries.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "text", "intent"])
        for n, (text, intent) in enumerate(zip(frame["text"], frame["intent"], strict=True)):
            writer.writerow([f"q{n}", text, intent if n < KNOWN else ""])
    return path, truth


def test_from_a_table_to_picks_to_an_export(table, tmp_path):
    path, truth = table
    onto, place, out = (
        tmp_path / "intents.onto",
        tmp_path / "queries.sqlite",
        tmp_path / "labels.csv",
    )
    run("convert", data_path("clinc150", "hierarchy.tsv"), onto, "--siblings-exclusive")
    told = run(
        "new", place, "--items", path, "--ontology", onto, "--labels", "intent", "--pick", "always"
    )
    assert f"{ITEMS} items, 160 labels" in told
    assert "have one of each exclusive group" in told  # and what to write is said
    told = run("ask", place, keys="1q")
    assert "Which of these is “" in told
    assert "1 answered" in told
    with Campaign.open(place) as campaign:
        for _ in range(PICKS - 1):
            (asked,) = campaign.next("lead")
            value = truth[asked.item.id]
            if asked.label is None:
                campaign.answer("lead", asked.item.id, None, [value], lease=asked.id)
            else:
                domain = campaign.state.onto.propagate({value: True})
                campaign.answer(
                    "lead",
                    asked.item.id,
                    asked.label,
                    bool(domain.get(asked.label)),
                    lease=asked.id,
                )
    run("export", place, out)
    with out.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["id"] for row in rows] == list(truth)  # one line an item, in their order
    assert all(row["text"] for row in rows)
    given = [row for row in rows if row["origin"] == "given"]
    assert len(given) >= KNOWN - 1
    assert all(row["labels"] == truth[row["id"]] for row in given)
