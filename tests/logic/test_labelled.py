"""Tables of items x labels: every form says the same, and nothing is matched by position that has a name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import corollary as co

BELIEFS = np.array([[0.9, 0.8, 0.1, 0.2, 0.3, 0.1, 0.2], [0.2, 0.1, 0.1, 0.1, 0.9, 0.8, 0.3]])
FACTS = np.array([[-1, 1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, 1, -1, 0]])


def forms(onto, values, unknown=None):
    """The same values in every form; `unknown` is written as an empty cell."""
    names = list(onto.labels)
    cells = np.where(values == unknown, np.nan, values) if unknown is not None else values
    frame = pd.DataFrame(cells, columns=names)
    mixed = frame[names[::-1]]
    return [
        cells.tolist(),
        cells,
        sparse.csr_array(cells),
        frame,
        mixed,
        mixed.astype("Float64"),
        pl.from_pandas(mixed),
        [
            {name: value for name, value in row.items() if not np.isnan(value)}
            for row in mixed.to_dict("records")
        ],
        mixed.to_dict("records"),
        [row for _, row in mixed.iterrows()],
    ]


def test_beliefs_go_by_name_in_every_form(animals):
    expected = animals.posterior(BELIEFS), animals.gain(BELIEFS), animals.most_probable(BELIEFS)
    for form in forms(animals, BELIEFS):
        for ask, wanted in zip(
            (animals.posterior, animals.gain, animals.most_probable), expected, strict=True
        ):
            np.testing.assert_array_equal(ask(form), wanted)


def test_facts_and_evidence_go_by_name_in_every_form(animals):
    known, expected = animals.propagate(FACTS), animals.posterior(BELIEFS, FACTS)
    said = animals.posterior(BELIEFS, evidence=np.where(FACTS < 0, 0.0, FACTS))
    for form in forms(animals, FACTS, unknown=-1):
        np.testing.assert_array_equal(animals.propagate(form), known)
        np.testing.assert_array_equal(animals.posterior(BELIEFS, form), expected)
    for form in forms(animals, np.where(FACTS < 0, 0.0, FACTS)):
        np.testing.assert_array_equal(animals.posterior(BELIEFS, evidence=form), said)


def test_a_label_without_a_column_is_unknown(animals):
    even = BELIEFS.copy()
    even[:, [1, 4]] = 0.5
    some = pd.DataFrame(BELIEFS, columns=animals.labels).drop(
        columns=[animals.labels[1], animals.labels[4]]
    )
    np.testing.assert_array_equal(animals.posterior(some), animals.posterior(even))
    np.testing.assert_array_equal(
        animals.propagate(pd.DataFrame({"bird": [1, 0]}))[:, animals.index["bird"]], [1, 0]
    )


def test_an_empty_cell_of_a_named_table_is_as_a_missing_column(animals):
    rows = [{"bird": 0.9}, {"bird": None, "fish": 0.8}, {}]
    even = np.full((3, 7), 0.5)
    even[0, animals.index["bird"]], even[1, animals.index["fish"]] = 0.9, 0.8
    for form in (
        rows,
        pd.DataFrame(rows),
        pl.DataFrame(rows),
        pd.DataFrame(rows).astype("Float64"),
    ):
        np.testing.assert_array_equal(animals.posterior(form), animals.posterior(even))


@pytest.mark.parametrize("fact", [1, 1.0, True, np.True_])
def test_one_item_follows_the_rule_of_many(animals, fact):
    expected = animals.propagate({"bird": True})
    for one in (
        {"bird": fact},
        {"bird": fact, "city": None},
        {"bird": fact, "city": np.nan},
        {"bird": fact, "city": -1},
    ):
        assert animals.propagate(one) == animals.propagate(pd.Series(one)) == expected
        known = animals.propagate([one])[0]
        assert {
            label: bool(known[k]) for label, k in animals.index.items() if known[k] >= 0
        } == expected
        for facts in (one, pd.Series(one)):
            assert str(animals.explain(facts, "animal")) == str(
                animals.explain({"bird": True}, "animal")
            )


def test_rows_go_by_the_index(animals):
    beliefs = pd.DataFrame(BELIEFS, columns=animals.labels, index=["rex", "rome"])
    facts = pd.DataFrame(FACTS, columns=animals.labels, index=["rex", "rome"])
    expected = animals.posterior(BELIEFS, FACTS)
    np.testing.assert_array_equal(animals.posterior(beliefs, facts.loc[["rome", "rex"]]), expected)
    np.testing.assert_array_equal(
        animals.posterior(beliefs, facts.reset_index(drop=True)), expected
    )
    np.testing.assert_array_equal(animals.posterior(beliefs, FACTS), expected)
    worth = animals.consequences(BELIEFS, BELIEFS, FACTS)
    turned = beliefs.loc[["rome", "rex"]], facts.loc[["rome", "rex"]]
    np.testing.assert_array_equal(animals.consequences(beliefs, *turned), worth)
    scores = co.score("linear", BELIEFS, animals, FACTS)
    np.testing.assert_array_equal(co.score("linear", beliefs, animals, turned[1]), scores)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            pd.DataFrame({"brid": [0.5]}),
            "the column 'brid' of beliefs is no label of the ontology; did you mean 'bird'",
        ),
        (
            pd.DataFrame(BELIEFS),
            r"the column '0' of beliefs is no label .*frame.to_numpy\(\) by position",
        ),
        (
            pd.DataFrame([[0.1, 0.2]], columns=["bird", "bird"]),
            "the column 'bird' of beliefs is there twice",
        ),
        ([{"bird": 0.5}, {"brid": 0.5}], r"the key 'brid' of beliefs\[1\] is no label"),
        (
            pd.DataFrame({"bird": ["much"]}),
            "beliefs must be numbers, label 'bird': could not convert",
        ),
        ([[np.nan] * 7], "item 0, label 'animal' has nan .*; where nothing is known, write 0.5"),
    ],
)
def test_what_does_not_fit_is_told(animals, values, message):
    with pytest.raises(co.CorollaryError, match=message):
        animals.posterior(values)


def test_rows_that_cannot_be_matched_are_told(animals):
    beliefs = pd.DataFrame(BELIEFS, columns=animals.labels, index=["rex", "rome"])
    facts = pd.DataFrame(FACTS, columns=animals.labels, index=["rex", "paris"])
    with pytest.raises(co.CorollaryError, match="'paris' is in one of them only"):
        animals.posterior(beliefs, facts)
    with pytest.raises(
        co.CorollaryError, match=r"beliefs.index\] to match rows by id, or facts.to_numpy"
    ):
        animals.posterior(beliefs.set_axis([1, 0]), facts.set_axis([0, 1]))
