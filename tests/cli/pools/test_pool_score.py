"""`corollary pool score`: the questions of a session, as a table or as JSON lines."""

from __future__ import annotations

import csv
import json

import corollary as co

from ...scale.pools import ids


def test_the_questions_are_those_of_a_session(pooled, folder, zoo, onto, facts, vectors, tmp_path):
    target = tmp_path / "q.jsonl"
    result = pooled("score", folder, target, "--ontology", zoo, "--best", 20)
    assert result.exit_code == 0
    assert f"{target}: the best 20 questions about 60 items" in result.stdout
    session = co.Session(
        onto,
        vectors,
        facts=facts,
        learner="logistic",
        asking=co.Asking(score="posterior", stay=None),
        item_ids=ids(60),
    )
    found = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    expected = session.ask(20)
    assert [(one["item"], one["label"], one["score"]) for one in found] == [
        (one.item, one.label, one.score) for one in expected
    ]
    assert [one["if_yes"] for one in found] == [one.if_yes for one in expected]
    assert "thing" in found[0]["question"]


def test_a_table_has_a_line_for_each(pooled, folder, zoo, tmp_path):
    target = tmp_path / "q.csv"
    assert (
        pooled(
            "score", folder, target, "--ontology", zoo, "--best", 5, "--pick", "always"
        ).exit_code
        == 0
    )
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert list(rows[0]) == [
        "item",
        "label",
        "question",
        "score",
        "settled by yes",
        "settled by no",
    ]
    assert rows[0]["label"] == ""
    assert rows[0]["question"].startswith("Which of these is")


def test_other_files_are_refused_before_anything_is_done(pooled, folder, zoo, tmp_path):
    result = pooled("score", folder, tmp_path / "q.xlsx", "--ontology", zoo)
    assert result.exit_code == 2
    assert "questions are written as .csv or .jsonl" in result.stderr
