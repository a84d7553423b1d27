"""Figures of tests need no display, and are closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    yield
    plt.close("all")
