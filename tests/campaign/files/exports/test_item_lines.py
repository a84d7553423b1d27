"""A line for each item: its narrowest labels, each with its probability and where it comes from."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
from hypothesis import given

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports import provenance
from corollary.campaign.files.exports.exports import export, text_of
from corollary.campaign.files.exports.item_lines import ANSWERS, broader_labels, lines_of
from corollary.campaign.files.exports.provenance import take_snapshot

from ....logic.ontologies import entailed, ontologies, worlds
from .some_answers import ONTO


@given(ontologies())
def test_broader_labels_hold_wherever_a_label_does_and_mean_something_else(drawn):
    labels, constraints = drawn
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    found = broader_labels(co.Ontology(labels, constraints)).toarray()
    follows = [entailed(legal, labels, {label: True}) or {} for label in labels]
    for i, one in enumerate(labels):
        for k, other in enumerate(labels):
            both = follows[i].get(other) is True and follows[k].get(one) is True
            assert found[i, k] == (follows[i].get(other) is True and not both)


def naive(snapshot, **options):
    """The same from the cells, one by one."""
    onto = snapshot.onto
    implied = {label: onto.propagate({label: True}) for label in onto.labels}
    for item, _, cells in snapshot.rows(**options):
        yes = {cell.label: cell for cell in cells if cell.value}
        narrowest = [
            label
            for label in yes
            if not any(implied[other].get(label) for other in yes if other != label)
        ]
        yield item.id, {label: yes[label].probability or 1.0 for label in narrowest}


def test_the_lines_say_what_the_cells_say(trained):
    for predictions in (True, False):
        snapshot = take_snapshot(trained)
        found = {
            line.item.id: {one.label: one.probability for one in line.labels}
            for line in lines_of(snapshot, predictions=predictions)
        }
        assert found == dict(naive(snapshot, predictions=predictions))


def test_where_labels_come_from(campaign):
    campaign.decide("mara", "i4", "river", True)
    lines = {line.item.id: line for line in lines_of(take_snapshot(campaign))}
    assert [(one.label, one.probability, one.origin) for one in lines["i0"].labels] == [
        ("bird", 1.0, "asked")
    ]
    assert [(one.label, one.origin) for one in lines["i2"].labels] == [("mammal", "given")]
    assert [(one.label, one.origin) for one in lines["i4"].labels] == [("river", "decided")]
    assert (lines["i1"].labels, lines["i1"].origin) == ([], "open")
    assert [line.item.id for line in lines_of(take_snapshot(campaign), open_cells=False)] == [
        "i0",
        "i1",
        "i2",
        "i4",
    ]


def test_an_item_without_labels_says_how_that_is_known(tmp_path):
    onto = co.Ontology.parse("a > b")
    with Campaign.create(tmp_path / "x.sqlite", ["p", "q", "r"], onto, name="x") as made:
        made.answer("lead", "1", "a", False)
        made.add("lead", facts=[("2", "a", False)])
        assert [line.origin for line in lines_of(take_snapshot(made))] == ["asked", "given", "open"]


def test_labels_that_mean_the_same_are_both_named(tmp_path):
    onto = co.Ontology(["a", "b", "c"], [co.equivalent("a", "b"), co.subsumes("c", "a")])
    with Campaign.create(tmp_path / "x.sqlite", ["p"], onto, name="x") as made:
        made.answer("lead", "1", "a", True)
        (line,) = lines_of(take_snapshot(made))
        assert [(one.label, one.origin) for one in line.labels] == [
            ("a", "asked"),
            ("b", "implied"),
        ]


def test_no_more_than_a_part_is_believed_at_once(trained, monkeypatch):
    """However many items there are: what is worked out of them is let go of before the next ones."""
    monkeypatch.setattr(provenance, "CELLS", 3 * len(ONTO))
    asked, told = [], []
    posterior = co.Ontology.posterior

    def counted(self, beliefs, facts):
        asked.append(len(np.asarray(beliefs)))
        return posterior(self, beliefs, facts)

    monkeypatch.setattr(co.Ontology, "posterior", counted)
    snapshot = replace(
        take_snapshot(trained), progress=lambda done, total: told.append((done, total))
    )
    assert np.shares_memory(snapshot.beliefs, trained.state.session.beliefs)  # not copied
    assert len(list(lines_of(snapshot))) == 10
    assert asked == [3, 3, 3, 1]
    assert told == [(0, 10), (3, 10), (6, 10), (9, 10), (10, 10)]


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
