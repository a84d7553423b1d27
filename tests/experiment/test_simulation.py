from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

import corollary as co
from corollary.experiment import simulation
from corollary.experiment.data.datasets import Dataset
from corollary.experiment.methods import PAPER, method_named
from corollary.experiment.simulation import Curve, round_size, surplus_negatives
from corollary.learning.choosing.scores import NAMES, score
from corollary.learning.session.options import Experiment, grouped
from corollary.learning.session.session import Session

from .made_up import made_up

METHODS = (*PAPER, *NAMES)
simulate = partial(
    simulation.simulate, learner="logistic"
)  # the cheapest: what is tested here is the loop


@pytest.fixture(scope="module")
def data() -> Dataset:
    return made_up()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_with_all_right(data: Dataset, method: str) -> None:
    curve = simulate(data, method, per_round=7, until=None)
    cells = int(data.test.sum()) * len(data.onto)
    assert curve.asked[0] == 0
    assert curve.fixed[0] == 0
    assert curve.fixed[-1] == cells
    assert curve.auc_full[-1] == curve.auc_test[-1] == 1.0
    assert (np.diff(curve.asked) > 0).all()
    assert (np.diff(curve.fixed) >= np.diff(curve.asked)).all()
    assert (np.diff(curve.asked)[:-1] == 7).all()
    assert ((curve.auc_full >= 0) & (curve.auc_full <= 1)).all()


def test_without_propagation_every_cell_is_asked(data: Dataset) -> None:
    for method in ("RANDOM", "ENTROPY"):
        curve = simulate(data, method, per_round=10, until=None)
        assert curve.asked[-1] == int(data.test.sum()) * len(data.onto)
        assert (curve.asked == curve.fixed).all()


@pytest.mark.parametrize("method", ["RANDOM-CP", "ENTROPY-CP", "PROBABILITY-CP", "posterior"])
def test_with_propagation_no_settled_cell_is_asked(
    data: Dataset, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: list[tuple[int, int]] = []
    honest = Session.answer_from

    def watched(self: Session, truth: Any, n: int) -> Any:
        before = self.facts
        asked = honest(self, truth, n)
        for i, k, value in zip(asked.item, asked.label, asked.value, strict=True):
            assert before[i, k] < 0
            assert value == data.Y[i, k]
            before[i, k] = value
            before[i] = data.onto.propagate(before[i : i + 1])[
                0
            ]  # the naive twin: propagate after each answer
            cells.append((int(i), int(k)))
        assert (before == self.facts).all()
        return asked

    monkeypatch.setattr(Session, "answer_from", watched)
    curve = simulate(data, method, per_round=9, until=None)
    assert len(cells) == len(set(cells)) == curve.asked[-1] < int(data.test.sum()) * len(data.onto)


@pytest.mark.parametrize("method", ["RANDOM", "RANDOM-CP", "LOG-CP", "posterior"])
def test_same_seed_same_curve(data: Dataset, method: str) -> None:
    one, two, other = (simulate(data, method, per_round=9, random_state=seed) for seed in (3, 3, 4))
    assert without_seconds(one) == without_seconds(two)
    assert without_seconds(one) != without_seconds(other)
    drawn = simulate(data, method, per_round=9, random_state=np.random.default_rng(3))
    again = simulate(data, method, per_round=9, random_state=drawn.settings["random_state"])
    assert without_seconds(drawn) == without_seconds(again)


@pytest.mark.parametrize("method", ["ENTROPY-CP", "PROBABILITY-CP", "LINEAR-CP"])
def test_never_refreshed_order_is_one_sort(
    data: Dataset, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    honest = Session.answer_from
    first: list[Session] = []
    scores: list[np.ndarray] = []

    def watched(self: Session, truth: Any, n: int) -> Any:
        if not first:
            first.append(self)
            scores.append(score(method_named(method).score, self.beliefs, data.onto, self.facts))
        batch = honest(self, truth, n)
        asked.extend(zip(batch.item.tolist(), batch.label.tolist(), strict=True))
        return batch

    monkeypatch.setattr(Session, "answer_from", watched)
    simulate(data, method, per_round=8, until=None, asking=Experiment(refresh="never"))
    (fixed,) = scores
    order = np.lexsort((*np.indices(fixed.shape)[::-1].reshape(2, -1), -fixed.ravel()))
    facts = np.where(data.train[:, None], data.Y, np.int8(-1))
    expected = []
    for i, k in zip(*np.unravel_index(order, fixed.shape), strict=True):
        if facts[i, k] < 0:
            expected.append((int(i), int(k)))
            facts[i, k] = data.Y[i, k]
            facts[i] = data.onto.propagate(facts[i : i + 1])[0]
    assert asked == expected


def test_stops_at_the_target_on_both_parts(data: Dataset) -> None:
    whole = simulate(data, "posterior", per_round=5, until=None)
    curve = simulate(data, "posterior", per_round=5, until=0.95)
    assert min(curve.auc_full[-1], curve.auc_test[-1]) >= 0.95
    assert not ((curve.auc_full[:-1] >= 0.95) & (curve.auc_test[:-1] >= 0.95)).any()
    assert curve.auc_test.tolist() == whole.auc_test[: len(curve.auc_test)].tolist()
    assert curve.questions_to(0.95) == curve.asked[np.argmax(curve.auc_test >= 0.95)]
    assert curve.questions_to(0.95, part="full") == curve.asked[np.argmax(curve.auc_full >= 0.95)]
    assert curve.questions_to(1.01) is None


def test_max_rounds_and_progress(data: Dataset) -> None:
    seen: list[Curve] = []
    curve = simulate(data, "ENTROPY", per_round=5, until=None, max_rounds=3, progress=seen.append)
    assert curve.asked.tolist() == [0, 5, 10, 15]
    assert [len(part.asked) for part in seen] == [2, 3, 4]
    assert without_seconds(seen[-1]) == without_seconds(curve)
    assert simulate(data, max_rounds=0).asked.tolist() == [0]


def test_predictions(data: Dataset) -> None:
    beliefs = simulate(data, "posterior", predict="beliefs", max_rounds=0)
    posterior = simulate(data, "posterior", max_rounds=0)
    assert beliefs.settings["predict"] == "beliefs"
    assert posterior.settings["predict"] == "posterior"
    assert beliefs.auc_test[0] != posterior.auc_test[0]
    assert simulate(data, "ENTROPY-CP", max_rounds=0).auc_test[0] == beliefs.auc_test[0]


def test_balanced_start() -> None:
    Y = np.array([[1], [0], [0], [0], [1], [0], [0], [1]], np.int8)
    train = np.array([1, 1, 1, 1, 1, 1, 0, 0], bool)
    surplus = surplus_negatives(Y, train, np.random.default_rng(0))
    assert surplus.sum() == 2  # two of four negatives stay beside two positives
    assert not surplus[(Y == 1) | ~train[:, None]].any()
    draws = {surplus_negatives(Y, train, np.random.default_rng(s)).tobytes() for s in range(30)}
    assert len(draws) == 6
    few = surplus_negatives(1 - Y, train, np.random.default_rng(0))
    assert not few.any()


def test_balanced_or_not_matters(data: Dataset) -> None:
    one, all_ = (
        simulate(data, "ENTROPY-CP", balanced=flag, max_rounds=0) for flag in (True, False)
    )
    assert one.auc_test[0] != all_.auc_test[0]


def test_rounds_that_grow(data: Dataset) -> None:
    assert [round_size("auto", asked=n, cells=100) for n in (0, 1, 19, 20, 29, 30, 10_000)] == [
        1,
        1,
        1,
        2,
        2,
        3,
        1000,
    ]
    assert [round_size("auto", asked=n, cells=130_000) for n in (0, 269, 270)] == [26, 26, 27]
    assert round_size(7, asked=1000, cells=130_000) == 7
    curve = simulate(data, "RANDOM", per_round="auto", until=None)
    assert curve.settings["per_round"] == "auto"
    asked = [0]
    while asked[-1] < curve.asked[-1]:  # the naive twin
        asked.append(min(asked[-1] + max(1, asked[-1] // 10), int(curve.asked[-1])))
    assert curve.asked.tolist() == asked
    assert max(np.diff(asked)) > 1


def test_a_small_start(data: Dataset) -> None:
    few = simulate(data, "ENTROPY-CP", start=1, random_state=2, max_rounds=1)
    same = simulate(data.with_start(1, seed=2), "ENTROPY-CP", random_state=2, max_rounds=1)
    assert without_seconds(few) == without_seconds(same)
    assert few.settings["start"] == 1
    assert same.settings["start"] is None
    whole = simulate(data, "ENTROPY-CP", random_state=2, max_rounds=1)
    assert few.auc_test[0] != whole.auc_test[0]


def test_each_question_costs_one(data: Dataset) -> None:
    curve = simulate(data, "ENTROPY-CP", max_rounds=2)
    assert curve.cost.tolist() == curve.asked.tolist()
    assert curve.cost_to(0.3) == curve.questions_to(0.3) is not None
    assert curve.cost_to(1.01) is None
    record = curve.to_json()
    del record["cost"]  # results of before
    assert Curve.from_json(record).cost.tolist() == curve.asked.tolist()


def test_what_questions_cost_is_counted(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = [0.0]
    whole: list[bool] = []
    honest = Session.answer_from
    prices = {"bird": 3.0, "city": 0.5}
    price = [*(prices.get(label, 1.0) for label in data.labels), 2.5]

    def watched(self: Session, truth: Any, n: int) -> Any:
        asked = honest(self, truth, n)
        spent.append(spent[-1] + sum(price[k] for k in asked.label))
        whole.extend(k == len(data.onto) for k in asked.label)
        return asked

    monkeypatch.setattr(Session, "answer_from", watched)
    options = {"per_round": 5, "until": None}
    curve = simulate(data, **grouped({"costs": prices, "item_cost": 2.5, **options}))
    assert curve.cost.tolist() == pytest.approx(spent)
    assert any(whole)
    assert curve.auc_test[-1] == 1.0
    assert curve.cost_to(1.0) == curve.cost[np.argmax(curve.auc_test >= 1.0)]
    assert (curve.settings["costs"], curve.settings["item_cost"]) == (prices, 2.5)
    staying = simulate(data, **grouped({"stay": "label", **options}))
    assert staying.settings["stay"] == "label"
    assert staying.auc_test[-1] == 1.0


def test_curve_survives_json(data: Dataset) -> None:
    curve = simulate(data, "gain", per_round=9)
    again = Curve.from_json(json.loads(json.dumps(curve.to_json())))
    assert again.to_json() == curve.to_json()
    assert again.auc_full.dtype == np.float64
    assert again.asked.dtype == np.int64


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"method": "posteriro"}, "no method 'posteriro'; did you mean 'posterior'?"),
        ({"method": "Entropy-CP"}, "no method 'Entropy-CP'"),
        ({"method": "entropy-CP"}, "no method 'entropy-CP'"),
        ({"method": None}, "no method None"),
        ({"predict": "gold"}, "predict must be"),
        ({"per_round": 0}, "per_round must be a whole number from 1, or 'auto', got 0"),
        ({"per_round": "often"}, "per_round must be a whole number from 1, or 'auto', got 'often'"),
        ({"start": -1}, "start must be a whole number from 0, got -1"),
        ({"start": True}, "start must be a whole number from 0, got True"),
        ({"per_round": 2.5}, "per_round must be a whole number"),
        ({"per_round": True}, "per_round must be a whole number"),
        ({"max_rounds": -1}, "max_rounds must be a whole number from 0, got -1"),
        ({"random_state": -1}, "random_state must be"),
        ({"until": 0}, "until must be an AUC above 0"),
        ({"until": 1.5}, "until must be an AUC above 0"),
        ({"refresh": "sometimes"}, "refresh must be 'always' or 'never'"),
        ({"learner": "oracle"}, "oracle"),
    ],
)
def test_wrong_arguments(data: Dataset, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(co.CorollaryError, match=told.replace("?", r"\?")):
        simulate(data, **grouped(wrong))


def test_wrong_part_and_wrong_data(data: Dataset) -> None:
    with pytest.raises(co.CorollaryError, match="part must be 'test' or 'full'"):
        simulate(data, max_rounds=0).questions_to(0.9, part="train")  # type: ignore[arg-type]
    with pytest.raises(co.CorollaryError, match="simulate needs a Dataset, got 'iris'"):
        simulate("iris")  # type: ignore[arg-type]


def without_seconds(curve: Curve) -> dict[str, Any]:
    return {
        name: value
        for name, value in curve.to_json().items()
        if not name.startswith("seconds") and name != "settings"
    }
