"""Every strategy by its name runs to the end, and asks what it says it asks."""

from __future__ import annotations

from typing import Any

import pytest

from corollary.learning.session.session import Session
from evidence.simulation import simulate
from evidence.strategies.named import NAMES

from ...experiment.made_up import made_up

ALL = [f"{name}:{form}" for form, names in NAMES.items() for name in names]


@pytest.mark.parametrize("method", ALL)
def test_every_strategy_ends_with_all_right(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if method.startswith("activeml"):
        pytest.importorskip("skactiveml")
    if method.startswith("smalltext"):
        pytest.importorskip("small_text")
    data = made_up(n=30)
    asked: list[int] = []
    honest = Session.answer_from

    def watched(self: Session, truth: Any, n: int) -> Any:
        batch = honest(self, truth, n)
        asked.extend(batch.item.tolist())
        return batch

    monkeypatch.setattr(Session, "answer_from", watched)
    # one choice, so that the code of others runs too: the made-up tree is one
    curve = simulate(data, method, learner="logistic", per_round=6, until=None)
    cells = int(data.test.sum()) * len(data.onto)
    assert curve.fixed[-1] == cells
    assert curve.auc_test[-1] == 1.0
    assert curve.asked[-1] == len(asked) < cells
    assert curve.settings["predict"] == "posterior"
    if method.endswith(":items"):  # nobody comes back to an item once another was begun
        assert len(
            [i for i, before in zip(asked, [None, *asked], strict=False) if i != before]
        ) == len(set(asked))
    if method.endswith("e:cells"):  # BADGE: a round of 6 is about 6 items while there are so many
        assert len(set(asked[:6])) == 6
