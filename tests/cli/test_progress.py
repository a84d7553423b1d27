"""What lasts over a second says so; what does not says nothing."""

from __future__ import annotations

import io
import time

import pytest

from corollary.cli import progress
from corollary.cli.progress import told_progress, told_wait


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.0)


def test_lines_now_and_then_where_there_is_no_terminal(impatient, monkeypatch, capsys):
    with told_progress("writing x.csv") as told:
        for done in (0, 1_000, 2_000):
            told(done, 2_000)
    assert capsys.readouterr().err == "writing x.csv: 0 of 2,000 items\n"
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with told_progress("reading", "events") as told:
        told(0, 5)
        told(5, 5)
    assert capsys.readouterr().err == "reading: 0 of 5 events\nreading: 5 of 5 events\n"


def test_a_bar_on_a_terminal(impatient, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    with told_progress("writing x.csv") as told:
        told(0, 2_000)
        told(1_000, 2_000)
    assert "writing x.csv" in stream.getvalue()
    assert "2000" in stream.getvalue()


def test_what_cannot_say_how_far_it_is(impatient, monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.001)
    with told_wait("opening x.sqlite"):
        deadline = time.monotonic() + 30
        while "s\n" not in (err := capsys.readouterr().err) and time.monotonic() < deadline:
            time.sleep(0.001)
    assert "opening x.sqlite ... 0 s\n" in err


def test_what_is_quick_says_nothing(monkeypatch, capsys):
    monkeypatch.setattr(progress, "AFTER", 3600.0)
    with told_wait("opening"), told_progress("writing") as told:
        told(0, 10)
        told(10, 10)
    assert capsys.readouterr().err == ""
