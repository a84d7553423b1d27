"""Results of parts are found again by the run that they are of, and by no other."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.errors import CorollaryError
from corollary.scale.kept import Kept, key_of
from corollary.scale.ranking import Ranked
from corollary.scale.table.parts import Part

PART = Part("x.parquet", (0,), 5, 3)


def test_what_is_put_is_found_again(tmp_path):
    kept = Kept(tmp_path / "run", "one")
    kept.begin(replace=False)
    found = Ranked.of(
        np.arange(5, 8), np.array([1.0, 2.0, 2.0]), 2, np.eye(3), np.eye(3, dtype=np.int8)
    )
    kept.put(PART, found)
    again = Kept(tmp_path / "run", "one")
    again.begin(replace=False)
    for one, other in zip(found, again.get(PART), strict=True):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype
    with pytest.raises(CorollaryError, match="has files of another pool"):
        Kept(tmp_path / "run", "two").begin(replace=False)
    Kept(tmp_path / "run", "two").begin(replace=True)
    assert not kept.path(PART, "npz").exists()


def test_what_is_not_ours_is_never_removed(tmp_path):
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(CorollaryError, match="name another folder"):
        Kept(tmp_path, "one").begin(replace=True)
    assert (tmp_path / "mine").exists()


def test_keys_tell_runs_apart():
    one, other = np.arange(3), np.arange(4)
    assert key_of("a", one) == key_of("a", one.copy())
    assert (
        len(
            {
                key_of("a", one),
                key_of("a", other),
                key_of("b", one),
                key_of("a", "b", one),
                key_of("ab", one),
            }
        )
        == 5
    )
