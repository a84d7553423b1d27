"""What y may be: every form says the same, and what does not fit is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.features.targets import read_target
from corollary.learning.learners.crf import CRF

from ..learners.centres import ONTO, K, is_legal, partly, problem


def test_every_form_of_y_says_the_same():
    X, Y = problem(60)
    y = partly(Y)
    numbers = np.where(y < 0, np.nan, y)
    objects = np.where(y < 0, None, y.astype(object))
    names = list(ONTO.labels)
    shuffled = names[::-1]
    yes_no = pd.DataFrame(objects, columns=names).astype("boolean")[shuffled]
    polars = pl.DataFrame(
        {name: [None if v < 0 else bool(v) for v in y[:, names.index(name)]] for name in shuffled}
    )
    expected = co.ConsistentClassifier("crf", ONTO).fit(X, y).beliefs(X)
    for form in (
        numbers,
        objects,
        y.tolist(),
        sparse.csr_array(y),
        pd.DataFrame(numbers, columns=names)[shuffled],
        pd.DataFrame(y, columns=names).astype("Int8"),
        yes_no,
        polars,
        polars.cast(pl.Int8),
    ):
        np.testing.assert_array_equal(
            co.ConsistentClassifier("crf", ONTO).fit(X, form).beliefs(X), expected
        )
    np.testing.assert_array_equal(CRF(ONTO).fit(X, polars).predict_proba(X), expected)


def test_facts_of_new_items_hold():
    X, Y = problem(60)
    model = co.ConsistentClassifier("crf", ONTO).fit(X, Y)
    facts = pd.DataFrame(-1, index=range(60), columns=list(ONTO.labels)).assign(river=1)
    labelling = model.predict(X, facts=facts)
    assert is_legal(labelling)
    assert (labelling[:, ONTO.index["river"]] == 1).all()
    assert (labelling[:, ONTO.index["place"]] == 1).all()
    np.testing.assert_allclose(model.predict_proba(X, facts=facts)[:, ONTO.index["animal"]], 0)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (np.zeros((8, 3)), r"y must be items x 7 labels, got shape \(8, 3\)"),
        (np.zeros((7, K)), "X has 8 rows but y has 7"),
        (np.full((8, K), 2), "item 0, label 'animal' has 2"),
        (np.zeros(8), "y must be items x 7 labels, got a list of 8 values.*MultiLabelBinarizer"),
        ([["bird"], ["fish", "animal"]] * 4, "every row of one length; .*MultiLabelBinarizer"),
        (np.full((8, K), "yes", object), "y must be numbers, label 'animal': could not convert"),
        (
            pd.DataFrame(np.zeros((8, K)), columns=[*ONTO.labels[:-1], "rivr"]),
            "'rivr' of y is no label.* mean 'river'",
        ),
    ],
)
def test_a_y_that_does_not_fit_is_told(y, message):
    with pytest.raises(co.CorollaryError, match=message):
        co.ConsistentClassifier("crf", ONTO).fit(np.zeros((8, 2)), y)


def test_a_label_without_a_column_is_unknown():
    X, Y = problem(60)
    some = list(ONTO.labels)[::-2]
    y = np.where(np.isin(ONTO.labels, some), Y, -1)
    expected = co.ConsistentClassifier("crf", ONTO).fit(X, y).beliefs(X)
    frame = pd.DataFrame(Y, columns=ONTO.labels)[some]
    for form in (frame, pl.from_pandas(frame), frame.to_dict("records")):
        np.testing.assert_array_equal(
            co.ConsistentClassifier("crf", ONTO).fit(X, form).beliefs(X), expected
        )


def test_the_names_of_dicts_are_labels_without_an_ontology():
    target = read_target([{"a": 1}, {"b": 0, "a": None}], None, 2, who="this")
    assert target.onto.labels == ("a", "b")
    assert target.facts.tolist() == [[1, -1], [-1, 0]]


def test_a_missing_class_is_told():
    with pytest.raises(
        co.CorollaryError, match="y contains NaN, None or infinity: .* every value is a class"
    ):
        read_target(pd.Series(["a", None, "b"]), None, 3, who="this")


def test_an_error_about_facts_names_facts():
    X, Y = problem(60)
    model = co.ConsistentClassifier("crf", ONTO).fit(X, Y)
    with pytest.raises(co.CorollaryError, match="^facts must be items x 7 labels"):
        model.predict(X, facts=[1, 0])
