"""What rows say is read alike from all the ways of writing it; what cannot be is told."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import corollary as co
from corollary.logic.errors import CorollaryError
from corollary.scale.table.columns import Columns
from corollary.scale.table.parts import Block
from corollary.scale.table.values import (
    ExtraFacts,
    facts_in,
    ids_in,
    known_in,
    learnt_from,
    matrix_in,
)

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
EXPECTED = [[-1, 1, -1], [-1, -1, -1], [1, 0, -1]]


def block(**columns) -> Block:
    table = pa.table(columns)
    return Block(np.arange(100, 100 + table.num_rows), table)


def of(columns: Columns, **values) -> np.ndarray:
    return facts_in(block(id=["a", "b", "c"], **values), columns, ONTO)


def test_facts_are_read_from_maps_structs_columns_and_lists():
    labels, wide = (
        Columns("id", "table", (), "labels"),
        Columns("id", "table", (), None, ("animal", "bird")),
    )
    maps = pa.array(
        [[("bird", True)], None, [("animal", True), ("bird", False)]],
        pa.map_(pa.string(), pa.bool_()),
    )
    assert of(labels, labels=maps).tolist() == EXPECTED
    structs = [{"bird": True, "animal": None}, None, {"bird": False, "animal": True}]
    assert of(labels, labels=structs).tolist() == EXPECTED
    assert (
        of(wide, animal=[None, None, True], bird=pa.array([1, -1, 0], pa.int8())).tolist()
        == EXPECTED
    )
    yes = pa.array([["bird"], [], ["animal"]])
    assert of(labels, labels=yes).tolist() == [[-1, 1, -1], [-1, -1, -1], [1, -1, -1]]
    assert (
        of(labels, labels=pa.array([[], None, []], pa.list_(pa.string()))).tolist()
        == [[-1] * 3] * 3
    )


def test_what_is_told_goes_before_what_the_pool_says_and_all_follows():
    told = ExtraFacts(ONTO, {"c": {"bird": True}, "nix": {"fish": True}})
    columns = Columns("id", "table", (), "labels")
    rows = block(id=["a", "b", "c"], labels=[["fish"], [], []])
    given, known = known_in(rows, columns, ONTO, told)
    assert given.tolist() == [[-1, -1, 1], [-1, -1, -1], [-1, 1, -1]]
    assert known.tolist() == [[1, 0, 1], [-1, -1, -1], [1, 1, 0]]
    clash = ExtraFacts(ONTO, {"a": {"animal": False}})
    with pytest.raises(CorollaryError, match=r"^item 'a': .*cannot") as error:
        known_in(rows, columns, ONTO, clash)
    assert type(error.value) is CorollaryError  # a Contradiction does not travel between processes


def test_ids_are_texts_whole_numbers_or_the_place():
    columns = Columns("id", "table", ())
    assert ids_in(block(id=[7, 8]), columns) == ["7", "8"]
    assert ids_in(block(id=pa.array(["x", "y"]).dictionary_encode()), columns) == ["x", "y"]
    assert ids_in(block(x=[0, 0]), Columns(":row", "table", ())) == ["101", "102"]
    with pytest.raises(CorollaryError, match="1 items have no id"):
        ids_in(block(id=["x", None]), columns)
    with pytest.raises(CorollaryError, match="must hold texts or whole numbers, it holds double"):
        ids_in(block(id=[0.5]), columns)


def test_vectors_are_a_matrix_of_their_precision():
    for kind in (pa.list_(pa.float32(), 2), pa.list_(pa.float32()), pa.large_list(pa.float32())):
        found = matrix_in(block(v=pa.array([[1, 2], [3, 4]], kind)).table["v"], "v")
        assert found.dtype == np.float32
        assert found.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "wrong",
    [[[1.0], [1.0, 2.0]], [[1.0], None], [[1.0], [None]], [1.0, 2.0], [["a"], ["b"]]],
    ids=str,
)
def test_what_is_no_vector_is_told(wrong):
    with pytest.raises(CorollaryError, match="column 'v'"):
        learnt_from(block(v=wrong), Columns("id", "vector", ("v",)))


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([["brid"]], "unknown label 'brid'; did you mean 'bird'"),
        ([{"brid": True}], "unknown label 'brid'"),
        (["bird"], "must hold lists of labels"),
    ],
    ids=str,
)
def test_what_names_no_label_is_told(labels, told):
    with pytest.raises(CorollaryError, match=told):
        facts_in(block(id=["a"], labels=labels), Columns("id", "table", (), "labels"), ONTO)


def test_what_is_neither_yes_nor_no_is_told():
    with pytest.raises(CorollaryError, match="column 'bird' must hold yes and no"):
        facts_in(block(id=["a"], bird=[2]), Columns("id", "table", (), None, ("bird",)), ONTO)
