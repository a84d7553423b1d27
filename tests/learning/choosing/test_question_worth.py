"""What a question is worth for its cost, and costs that are none."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.choosing.picks import item_price
from corollary.learning.choosing.question_worth import by_cost, cost_of_asked, price_list, scores_of
from corollary.learning.question import ItemQuestion
from corollary.learning.session.options import Asking, grouped
from corollary.learning.session.session import Session

from ...logic.brute import entropy, truth
from ...logic.ontologies import worlds


def test_a_cheap_question_for_the_whole_item_is_preferred_and_a_dear_one_is_not(animals):
    beliefs = np.full((3, 7), 0.4)
    (cheap,) = Session(animals, beliefs=beliefs, asking=Asking(item_cost=0.5)).ask()
    assert isinstance(cheap, ItemQuestion)
    assert str(cheap).startswith("Which of these is 0: ")
    assert set(cheap.labels) == set(animals.labels)
    (dear,) = Session(animals, beliefs=beliefs, asking=Asking(item_cost=50)).ask()
    assert isinstance(dear, co.Question)
    assert {
        type(q) for q in Session(animals, beliefs=beliefs, asking=Asking(item_cost=0.5)).ask(9)
    } == {ItemQuestion}
    assert len(Session(animals, beliefs=beliefs, asking=Asking(item_cost=0.5)).ask(9)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"item_cost": 0}, "above 0, got 0"),
        ({"costs": {"bird": -1}}, "above 0, got -1"),
        ({"costs": {"brid": 1}}, "did you mean 'bird'"),
        ({"item_cost": 2, "score": "log"}, "need score='posterior'"),
        ({"pick": "always", "score": "log"}, "need score='posterior'"),
        ({"pick": "sometimes"}, "'auto', 'always' or 'never'"),
        ({"stay": "here"}, "'label', 'item', 'settle' or None"),
    ],
)
def test_bad_costs(animals, options, message):
    with pytest.raises(co.CorollaryError, match=message):
        Session(animals, beliefs=np.full((2, 7), 0.5), **grouped(options))


def test_each_question_costs_1_where_nothing_is_said(animals):
    n = len(animals)
    np.testing.assert_array_equal(price_list(animals, {}, None, asked="labels"), np.ones(n + 1))
    costs = {"bird": 3.0, "city": 0.5}
    prices = [costs.get(label, 1.0) for label in animals.labels]
    assert price_list(animals, costs, None, asked="labels").tolist() == [*prices, 1.0]
    for asked in ("items", "both"):
        assert price_list(animals, costs, None, asked=asked).tolist() == [
            *prices,
            item_price(animals, costs),
        ]
        assert price_list(animals, costs, 0.25, asked=asked).tolist() == [*prices, 0.25]


def test_what_is_never_asked_costs_infinitely_much():
    cost, never = np.array([1.0, 2.0, 3.0]), np.inf
    assert cost_of_asked(cost, "labels").tolist() == [1.0, 2.0, never]
    assert cost_of_asked(cost, "items").tolist() == [never, never, 3.0]
    assert cost_of_asked(cost, "both").tolist() == [1.0, 2.0, 3.0]
    assert cost.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "cost", [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, 4.0], [0.5, 2.0, 1.0]]
)
def test_worth_is_for_what_a_question_costs(cost):
    values = np.array([[3.0, 5.0, 2.0], [-np.inf, 1.0, 7.0]])
    for width in (2, 3):  # with and without the question for the whole item
        found = by_cost(lambda rows, known, w=width: values[rows, :w], np.array(cost))(
            np.array([1, 0]), None
        )
        assert found.tolist() == [[values[i, k] / cost[k] for k in range(width)] for i in (1, 0)]


@pytest.mark.parametrize("propagated", [True, False])
@pytest.mark.parametrize("asked", ["labels", "items", "both"])
def test_worth_is_that_of_all_that_follows_though_answers_may_not_propagate(
    animals, propagated, asked
):
    rng = np.random.default_rng(0)
    legal, beliefs = (
        worlds(animals.labels, animals.constraints),
        rng.uniform(0.05, 0.95, (4, len(animals))),
    )
    known = np.full(beliefs.shape, -1, np.int8)
    (
        known[1, animals.index["bird"]],
        known[2, animals.index["animal"]],
        known[3, animals.index["city"]],
    ) = 1, 0, 0
    complete = animals.propagate(known) if propagated else known
    worth = scores_of("posterior", animals, beliefs, propagated=propagated, asked=asked)(
        np.arange(4), complete
    )
    assert worth.shape == (4, len(animals) + (asked != "labels"))
    for i in range(4):
        now = truth(legal, beliefs[i], known[i])
        of_labels = np.full(len(animals), -np.inf) if asked == "items" else entropy(now.posterior)
        np.testing.assert_allclose(worth[i, : len(animals)], of_labels, atol=1e-9)
        if asked != "labels":
            assert worth[i, -1] == pytest.approx(now.joint_entropy, abs=1e-9)


@pytest.mark.parametrize("name", ["entropy", "probability", "log", "gain"])
def test_worth_of_labels_is_their_score(animals, name):
    rng = np.random.default_rng(1)
    beliefs, known = (
        rng.uniform(0.05, 0.95, (4, len(animals))),
        np.full((4, len(animals)), -1, np.int8),
    )
    known[1, animals.index["bird"]], known[2, animals.index["animal"]] = 1, 0
    expected = co.score(name, beliefs, animals, known)
    worth = scores_of(name, animals, beliefs, propagated=False, asked="labels")(np.arange(4), known)
    still_open = np.isfinite(expected)
    np.testing.assert_allclose(worth[still_open], expected[still_open])
