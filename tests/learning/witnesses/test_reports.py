"""Reports in every form they may come in, and what is said of those that are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import corollary as co
from corollary.learning.witnesses.reports import read_reports

ONTO = co.Ontology(["a", "b", "c"])
nan = np.nan
TABLES = {"ann": [[1, nan, 0], [nan, nan, nan]], "model": [[0.25, 1, nan], [nan, nan, 0.75]]}
ROWS = [
    (0, "a", "ann", 1),
    (0, "c", "ann", 0),
    (0, "a", "model", 0.25),
    (0, "b", "model", 1),
    (1, "c", "model", 0.75),
]


def cells(reports):
    return sorted(
        (reports.items[i], ONTO.labels[k], reports.witnesses[w], v)
        for w, i, k, v in zip(
            reports.witness.tolist(),
            reports.item.tolist(),
            reports.label.tolist(),
            reports.value.tolist(),
            strict=True,
        )
    )


def columns(rows):
    return dict(
        zip(("item", "label", "witness", "value"), map(list, zip(*rows, strict=True)), strict=True)
    )


@pytest.mark.parametrize(
    "reports",
    [
        TABLES,
        ROWS,
        columns(ROWS),
        pd.DataFrame(columns(ROWS)),
        pl.DataFrame(columns(ROWS), strict=False),
    ],
    ids=["mapping", "tuples", "columns", "pandas", "polars"],
)
def test_all_forms_say_the_same(reports):
    found = read_reports(reports, ONTO)
    assert cells(found) == sorted(ROWS)
    assert found.items == (0, 1)
    assert set(found.witness[found.are_votes]) == {found.witnesses.index("ann")}


def test_items_by_name_and_in_an_order_of_their_own():
    rows = [(f"x{i}", *rest) for i, *rest in ROWS]
    assert read_reports(rows, ONTO).items == ("x0", "x1")
    assert read_reports(rows, ONTO, items=["x2", "x1", "x0"]).items == ("x2", "x1", "x0")
    assert cells(read_reports(rows, ONTO, items=["x2", "x1", "x0"])) == sorted(rows)


def test_the_last_report_about_a_cell_counts_and_missing_ones_do_not():
    rows = [(0, "a", "ann", 1), (0, "b", "ann", None), (0, "a", "ann", 0), (0, "c", "ann", nan)]
    assert cells(read_reports(rows, ONTO)) == [(0, "a", "ann", 0.0)]


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ({}, "must be a mapping witness"),
        ("text", "must be a mapping witness"),
        ({"ann": [[1, 0]]}, r"reports\['ann'\] must be items x 3 labels"),
        (
            {"ann": [[1, 0, 0]], "bob": [[1, 0, 0]] * 2},
            r"reports\['bob'\] has 2 items where there are 1",
        ),
        ({"ann": [[2, 0, 0]]}, "witness 'ann' has 2.0 for item 0, label 'a'"),
        ({"ann": [[nan] * 3]}, "there are no reports"),
        ([(0, "a", "ann")], r"must be \(item, label, witness, value\)"),
        ([(0, "z", "ann", 1)], "unknown label 'z'"),
        ([(0, "a", "ann", 1), (nan, "a", "ann", 1)], "row 1 of the reports has no item"),
        ([(None, "a", "ann", 1)], "row 0 of the reports has no item"),
    ],
)
def test_what_is_no_report(reports, message):
    with pytest.raises(co.CorollaryError, match=message):
        read_reports(reports, ONTO)


def test_items_that_are_not_listed():
    with pytest.raises(co.CorollaryError, match="unknown item 7"):
        read_reports([(7, "a", "ann", 1)], ONTO, items=[1, 2])
