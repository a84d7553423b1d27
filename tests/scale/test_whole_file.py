"""A file is there as a whole, or not at all."""

from __future__ import annotations

import pytest

from corollary.scale.whole_file import written_whole


def test_what_fails_leaves_nothing_and_what_was_there_stays(tmp_path):
    target = tmp_path / "x"
    with written_whole(target) as partial:
        partial.write_text("first", encoding="utf-8")
        assert not target.exists()
    with pytest.raises(RuntimeError), written_whole(target) as partial:
        partial.write_text("second", encoding="utf-8")
        raise RuntimeError
    assert target.read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_two_that_write_the_same_file_do_not_meet(tmp_path):
    with written_whole(tmp_path / "x") as one, written_whole(tmp_path / "x") as other:
        assert one != other
        one.write_text("1", encoding="utf-8")
        other.write_text("2", encoding="utf-8")
    assert (tmp_path / "x").read_text(encoding="utf-8") == "1"  # the last to be done
