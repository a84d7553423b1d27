"""Nothing half-written is left, however a process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from corollary.logic.whole_file import written_whole

WRITES = """
import signal, sys, time
from pathlib import Path
from corollary.logic.whole_file import written_whole

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have turned off for what runs behind it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
with written_whole(Path(sys.argv[1])) as path:
    path.write_text("half")
    print("writing", flush=True)
    for _ in range(6000):  # not in one sleep: a signal that comes just before it is heard only after it
        time.sleep(0.01)
"""


@contextmanager
def writing(target):
    """A process that is in the middle of writing a file."""
    command = [sys.executable, "-c", WRITES, str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"writing\n"
            yield process
        finally:
            process.kill()


def test_a_file_gets_its_name_when_all_of_it_is_there(tmp_path):
    target = tmp_path / "x.csv"
    target.write_text("before")
    with written_whole(target) as path:
        path.write_text("after")
        assert target.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["x.csv"]
    assert target.read_text() == "after"


def test_nothing_is_left_of_what_failed(tmp_path):
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "x.csv") as path:
        path.write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_two_that_write_the_same_file_do_not_meet(tmp_path):
    with written_whole(tmp_path / "x") as one, written_whole(tmp_path / "x") as other:
        assert one != other
        one.write_text("1", encoding="utf-8")
        other.write_text("2", encoding="utf-8")
    assert (tmp_path / "x").read_text(encoding="utf-8") == "1"  # the last to be done


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such requests")
@pytest.mark.parametrize("request_to_end", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_nothing_is_left_by_a_process_that_is_asked_to_end(tmp_path, request_to_end):
    with writing(tmp_path / "x.csv") as process:
        process.send_signal(getattr(signal, request_to_end))
        assert process.wait(30) != 0
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_file_and_no_other(tmp_path):
    target, other = tmp_path / "x.csv", tmp_path / "[x].csv"
    with writing(target) as goes_on:
        with writing(target) as killed, writing(other):
            pass
        assert len(list(tmp_path.iterdir())) == 3
        with written_whole(target) as path:
            path.write_text("whole")
        left = sorted(one.name for one in tmp_path.iterdir())
        assert len(left) == 3  # the file, what is being written, and what is left of another file
        assert any(f".{goes_on.pid}." in name for name in left)
        assert not any(f".{killed.pid}." in name for name in left)


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such requests")
def test_the_programs_own_ways_to_end_stay_its_own(tmp_path):
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("asked"))
    try:
        with written_whole(tmp_path / "x") as path:
            path.write_text("whole")
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
        assert heard == ["asked"]
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "x").read_text() == "whole"
