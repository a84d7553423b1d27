"""Formulas and sentences of the documentation have the constants of the code."""

from __future__ import annotations

from corollary.learning.choosing.contrast import AT_FIRST, COUNTS, FADES, SUREST
from corollary.learning.stopping.forecast import ABOUT, FEWEST, MOST

from .pages import ROOT

DOCS = ROOT / "docs"


def test_contrast():
    text = (DOCS / "mathematics.md").read_text(encoding="utf-8")
    s, t = AT_FIRST
    assert rf"{FADES:g}^{{n_a}}" in text
    assert (
        rf"{COUNTS} \, \bigl( {s:g} \log s + {t:g} \log t + {1 - s - t:g} \log (1 - s - t) \bigr)"
        in text
    )
    assert rf"{1 - SUREST:.2f} \le q_k \le {SUREST:g}" in text


def test_how_forecasts_of_questions_are_widened():
    text = " ".join((DOCS / "stopping.md").read_text(encoding="utf-8").split())
    assert (FEWEST, ABOUT) == (0.1, 0.5)
    assert "the forecast is half of it, because learners learn" in text
    assert (
        f"reaches from a tenth, for a learner that deserves more trust, to {MOST:g} times" in text
    )
