"""Tables that are cut off."""

from __future__ import annotations

import pytest

from ..known_sets import refusal


@pytest.mark.parametrize("keep", [0, 10, 3000])
def test_truncated_tables(iris, keep):
    iris.write_bytes(iris.read_bytes()[:keep])
    assert "iris.parquet" in refusal("iris", iris.parents[1])
