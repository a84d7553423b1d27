"""Parts cover all rows once, in order, and are read a block at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from corollary.logic.errors import CorollaryError
from corollary.scale.table.parts import _together, blocks, read_folder

from ..pools import ids, write


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 20))
def test_row_groups_side_by_side_are_taken_together_as_far_as_they_go(sizes, rows):
    found = list(_together(sizes, rows))
    assert [n for groups in found for n in groups] == list(range(len(sizes)))
    for groups in found:
        assert len(groups) == 1 or sum(sizes[n] for n in groups) <= rows
    for one, other in pairwise(found):
        assert sum(sizes[n] for n in one) + sizes[other[0]] > rows


def test_all_rows_come_once_and_in_order(tmp_path, in_pieces):
    folder = read_folder(write(tmp_path, {"id": ids(100), "n": list(range(100))}))
    assert folder.rows == 100
    assert len(folder.parts) > 5
    found = [block for part in folder.parts for block in blocks(part, ["n"], 6)]
    assert [n for block in found for n in block.table["n"].to_pylist()] == list(range(100))
    assert [row for block in found for row in block.rows.tolist()] == list(range(100))
    assert max(block.table.num_rows for block in found) == 6
    assert found[0].table.column_names == ["n"]
    counted = [block.table.num_rows for part in folder.parts for block in blocks(part, [], 6)]
    assert sum(counted) == 100


def test_one_file_is_a_pool_too_and_files_of_others_are_none(tmp_path):
    write(tmp_path, {"id": ids(9)}, files=1)
    (tmp_path / "_metadata.parquet").write_bytes(b"of another tool")
    assert read_folder(tmp_path).rows == read_folder(tmp_path / "part-0.parquet").rows == 9


@dataclass
class Fault:
    name: str
    content: bytes | pa.Table
    told: str


@pytest.mark.parametrize(
    "fault",
    [
        Fault("part-9.parquet", b"no Parquet", "is not a good Parquet file"),
        Fault(
            "part-9.parquet", pa.table({"id": [1]}), "has other columns than the files before it"
        ),
    ],
    ids=lambda fault: fault.told,
)
def test_what_is_wrong_with_a_file_is_told(fault, tmp_path):
    write(tmp_path, {"id": ids(9)})
    path = tmp_path / fault.name
    if isinstance(fault.content, bytes):
        path.write_bytes(fault.content)
    else:
        parquet.write_table(fault.content, path)
    with pytest.raises(CorollaryError, match=fault.told):
        read_folder(tmp_path)


def test_a_folder_without_items_is_told(tmp_path):
    with pytest.raises(CorollaryError, match="has no .parquet files"):
        read_folder(tmp_path)
    write(tmp_path, {"id": pa.array([], pa.string())})
    with pytest.raises(CorollaryError, match="has no rows"):
        read_folder(tmp_path)
