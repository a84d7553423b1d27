"""Columns of tables: their kinds, and cells that cannot be read."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from corollary import CorollaryError
from corollary.learning.features.columns import FeaturesWarning
from corollary.learning.features.tables_and_text import Features, default_features


def test_kinds_of_pandas_columns():
    frame = pd.DataFrame(
        {
            "int": pd.array([1, None, 3, 4], dtype="Int64"),
            "bool": pd.array([True, None, False, True], dtype="boolean"),
            "string": pd.array(["x", "x", None, "x"], dtype="string"),
            "time": pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-04"]),
            "zone": pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-04"]).tz_localize(
                "Europe/Paris"
            ),
            "span": pd.to_timedelta([1, 2, None, 4], unit="D"),
            "object": [
                datetime.datetime(2024, 1, 1),
                None,
                datetime.datetime(2024, 1, 3),
                datetime.datetime(2024, 1, 4),
            ],
        }
    )
    frame["object"] = frame["object"].astype(object)
    X, features = default_features(frame)
    assert list(features.kinds_.values()) == ["number", "category", "category"] + 4 * ["number"]
    assert np.isfinite(X).all()
    np.testing.assert_allclose(
        X[:, -2], X[:, features.get_feature_names_out().tolist().index("time")], atol=1e-9
    )


def test_cells_that_cannot_be_read_are_told():
    with pytest.raises(CorollaryError, match="column 'tags' has a list at item 1"):
        default_features([{"tags": "a"}, {"tags": ["b", "c"]}])
    with pytest.raises(
        CorollaryError, match="column 'a' has inf at item 1; numbers must lie within"
    ):
        default_features(pd.DataFrame({"a": [1, np.inf]}))
    with pytest.warns(FeaturesWarning, match="column 'size' mixes text and other values"):
        _, features = default_features(
            [{"size": 3}, {"size": "large"}, {"size": 3}, {"size": "large"}]
        )
    assert features.kinds_ == {"size": "category"}
    numbers = Features().fit(pd.DataFrame({"a": [1, 2]}))
    with pytest.raises(CorollaryError, match="column 'a' held numbers at fit"):
        numbers.transform(pd.DataFrame({"a": ["x", "y"]}))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "cannot read a int as a table"),
        ("a bird", r"a list of texts, got one text; for one item pass \['a bird'\]"),
        ([], "the list of items is empty"),
        (["a", 3], "all of one kind; got int, str"),
        ([[1, 2], [3]], "one length, got 1 to 2 values"),
        ({"a": [1, 2], "b": [1]}, "columns must have one length"),
        (pd.DataFrame({"a": []}), "the table is empty"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' is there twice"),
    ],
)
def test_what_is_no_table_is_told(table, message):
    with pytest.raises(CorollaryError, match=message):
        default_features(table)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            [{"n": 10**400}, {"n": 1}],
            "column 'n' has inf at item 0; numbers must lie within 1e\\+150",
        ),
        ([{"n": 1}, {"n": -1e200}], "column 'n' has -1e\\+200 at item 1"),
        (["\ud800 half", "a text"], "column 'value' has half a character .* at item 0"),
        ({"a": 5}, "a column must be a list of values"),
        ({"a": "text"}, "a column must be a list of values"),
    ],
)
def test_cells_that_nothing_can_be_learnt_from(table, told):
    with pytest.raises(CorollaryError, match=told):
        default_features(table)
