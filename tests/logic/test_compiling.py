"""One line on stderr where compiling takes long, and none where it does not."""

from __future__ import annotations

import numba
import pytest

from corollary.logic import compiling
from corollary.logic.compiling import MESSAGE, SayOnce


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    for name, value in vars(SayOnce()).items():
        monkeypatch.setattr(compiling.SAY_ONCE, name, value)


def compile_one(module):
    def double(x):
        return x + x

    double.__module__ = module
    numba.njit(double)(1.0)


def test_it_is_said_once_while_our_kernels_are_compiled(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "AFTER", -1.0)
    compile_one("somebody.else")
    assert capsys.readouterr().err == ""
    compile_one("corollary.logic.kernels")
    compile_one("corollary.logic.kernels")
    assert capsys.readouterr().err == f"{MESSAGE}\n"


def test_what_is_quick_is_not_worth_a_word(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "AFTER", 3600.0)
    compile_one("corollary.logic.kernels")
    assert capsys.readouterr().err == ""


def test_short_compilations_add_up(monkeypatch, capsys):
    clock = iter([0.0, 0.4, 10.0, 10.4, 20.0, 20.4])
    monkeypatch.setattr(compiling.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(compiling, "AFTER", 0.5)
    told = []
    for _ in range(3):
        compiling.SAY_ONCE.on_start(_of("corollary.logic.kernels"))
        compiling.SAY_ONCE.on_end(_of("corollary.logic.kernels"))
        told.append(bool(capsys.readouterr().err))
    assert told == [False, False, True]


def _of(module):
    class Kernel:
        class py_func:  # noqa: N801 (numba's name)
            __module__ = module

    class Event:
        data = {"dispatcher": Kernel}  # noqa: RUF012

    return Event
