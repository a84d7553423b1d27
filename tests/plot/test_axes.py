"""Axes and figures: nothing global changes, and a missing matplotlib is told."""

from __future__ import annotations

import matplotlib as mpl
import pytest

import corollary as co

from ..experiment.curves import run


def test_nothing_global_is_changed() -> None:
    before = dict(mpl.rcParams)
    co.plot.curves(run([0, 4], [0.5, 0.6]))
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    onto = co.Ontology(["a"])
    for draw in (
        lambda: co.plot.curves(run([0], [1])),
        lambda: co.plot.reliability([[0.5]], [[1]]),
        lambda: co.plot.ontology(onto),
    ):
        with pytest.raises(co.CorollaryError, match=r"pip install 'corollary\[plots\]'"):
            draw()
