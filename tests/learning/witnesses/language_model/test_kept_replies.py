from __future__ import annotations

import pytest

import corollary as co
from corollary.learning.witnesses.language_model.kept_replies import KeptReplies, digest


def test_replies_are_kept_in_a_file_and_found_again(tmp_path):
    path = tmp_path / "replies.jsonl"
    first = KeptReplies(path)
    assert first.get("x") is None
    first.keep("x", {"bird": 0.25, "Vögel": 1.0})
    first.keep("y", {})
    again = KeptReplies(path)
    assert (len(again), again.get("x"), again.get("y")) == (2, {"bird": 0.25, "Vögel": 1.0}, {})
    assert KeptReplies(None).get("x") is None


def test_a_line_that_was_being_written_is_dropped_and_others_go_on(tmp_path):
    path = tmp_path / "replies.jsonl"
    KeptReplies(path).keep("x", {"bird": 0.25})
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:17])
    again = KeptReplies(path)
    again.keep("y", {"bird": 1.0})
    assert len(KeptReplies(path)) == 2


@pytest.mark.parametrize(
    "line", ["no JSON", "{}", '{"asked": "x", "said": 3}', '{"asked": "x", "said": {"a": 2}}', "[]"]
)
def test_another_file_is_left_alone(tmp_path, line):
    path = tmp_path / "diary.txt"
    path.write_text(f"{line}\n")
    with pytest.raises(
        co.CorollaryError, match="diary.txt, line 1: this is no kept reply; name another file"
    ):
        KeptReplies(path)
    assert path.read_text() == f"{line}\n"


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(co.CorollaryError, match="cannot be written"):
        KeptReplies(tmp_path / "none" / "replies.jsonl").keep("x", {})
    with pytest.raises(co.CorollaryError, match="cannot be read"):
        KeptReplies(tmp_path)


def test_whatever_is_asked_otherwise_has_another_digest():
    asked = {"model": "m", "messages": [{"role": "user", "content": "é"}]}
    assert digest(asked) == digest(dict(reversed(asked.items())))
    assert (
        len({digest(asked), digest(asked | {"model": "n"}), digest(asked | {"temperature": 0})})
        == 3
    )
