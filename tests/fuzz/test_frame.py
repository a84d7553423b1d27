"""The frame of the harnesses: a hang is told, broken documents are made."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from . import frame
from .frame import Hang, broken, examples, within


def test_a_hang_is_told():
    with pytest.raises(Hang, match="still busy after 1 s"), within(1):
        while True:
            pass


def test_what_waits_for_ever_is_told_and_what_waits_a_little_is_none(monkeypatch):
    with within(1):
        time.sleep(1.5)  # as on a machine that has others to serve
    monkeypatch.setattr(frame, "BY_THE_CLOCK", 1)
    with pytest.raises(Hang), within(1):
        time.sleep(5)


@examples(30)
@given(broken([b"a > b, c\n"], [b"exclusive:"]))
def test_documents_are_broken_as_bytes(text):
    assert isinstance(text, bytes)
