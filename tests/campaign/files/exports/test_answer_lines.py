"""A line for each answer, with its kind and its seconds."""

from __future__ import annotations

import csv

from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.answer_lines import ANSWERS
from corollary.campaign.files.exports.exports import export, text_of
from corollary.campaign.files.exports.provenance import take_snapshot

from .some_answers import ONTO


def rows_of(campaign, **options):
    text = "".join(text_of(take_snapshot(campaign, **options), "csv-answers"))
    return list(csv.DictReader(text.splitlines()))


def test_every_answer_has_a_line(tmp_path):
    with Campaign.create(
        tmp_path / "c.sqlite", ["one", "two"], ONTO, name="c", settings={"pick": "always"}
    ) as made:
        one, two = made.state.ids
        made.invite("ann")
        me = "lead"
        made.answer(me, one, "bird", True, seconds=1.5)
        made.answer("ann", one, "bird", False, seconds=2.5)
        made.answer(me, two, None, ["fish"], seconds=9.0)
        made.answer("ann", two, "city", "cant_tell", seconds=4.0)
        made.answer("ann", two, "place", False)
        made.undo("ann")
        rows = rows_of(made)
        assert tuple(rows[0]) == ANSWERS
        told = [
            tuple(row[name] for name in ("by", "label", "value", "question", "seconds", "stands"))
            for row in rows
        ]
        assert told == [
            (me, "bird", "yes", "yes/no", "1.5", "yes"),
            ("ann", "bird", "no", "second opinion", "2.5", "yes"),
            (me, "", "fish", "whole item", "9.0", "yes"),
            ("ann", "city", "cant_tell", "skipped or can't tell", "4.0", "yes"),
            ("ann", "place", "no", "yes/no", "", "no"),
        ]
        assert [row["event"] for row in rows] == ["1", "2", "3", "4", "5"]
        assert rows[0]["at"] == made.state.event(1).at
        assert {row["by"] for row in rows_of(made, names=False)} == {"annotator 1", "annotator 2"}
        made.withdraw(one, who=me)
        assert {row["item"] for row in rows_of(made)} == {two}
        assert {row["item"] for row in rows_of(made, withdrawn=True)} == {one}
        assert (
            export(made, tmp_path / "answers.csv", format="csv-answers") == len(rows_of(made)) == 3
        )
        assert export(made, tmp_path / "items.csv") == 1
