"""What lasts over a second says so; what does not says nothing."""

from __future__ import annotations

import io
import time
from functools import partial
from types import SimpleNamespace

import pytest
from rich.console import Console

from corollary.cli import progress
from corollary.cli.progress import told_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(params=[io.StringIO, Terminal])
def stream(request, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    made = request.param()
    # Not sys.stderr itself, which pytest puts back between a fixture and its test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setattr(progress, "echo", lambda line, err: made.write(f"{line}\n"))
    monkeypatch.setattr(
        "rich.console.Console", partial(Console, file=made, force_terminal=True, width=110)
    )
    return made


def wait_for(text, stream):
    deadline = time.monotonic() + 20
    while text not in stream.getvalue():
        assert time.monotonic() < deadline, stream.getvalue()
        time.sleep(0.001)


def test_how_far_work_is(stream):
    with told_progress("writing [x].csv", "rows") as told:
        told(1_000, 2_000)
        wait_for("1,000 of 2,000 rows", stream)
        assert "writing [x].csv" in stream.getvalue()


def test_work_that_does_not_count_tells_how_long_it_lasts(stream):
    with told_progress("opening x.sqlite"):
        wait_for("0:00:0" if stream.isatty() else "opening x.sqlite ... 0 s\n", stream)
        assert " of " not in stream.getvalue()


def test_once_all_is_counted_only_the_time_is_told(stream, monkeypatch):
    with told_progress("verifying") as told:
        told(5, 5)
        wait_for("verifying", stream)
        time.sleep(0.01)
        assert "5 of 5" not in stream.getvalue()


def test_what_is_quick_says_nothing(stream, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 3600.0)
    with told_progress("writing") as told:
        told(0, 10)
        told(10, 10)
    assert stream.getvalue() == ""


def test_an_error_ends_it(stream):
    with pytest.raises(ZeroDivisionError), told_progress("writing"):
        raise ZeroDivisionError
