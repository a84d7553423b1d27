"""What a question is worth for its cost, and costs that are none."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.question import ItemQuestion
from corollary.learning.session.session import Session


def test_a_cheap_question_for_the_whole_item_is_preferred_and_a_dear_one_is_not(animals):
    beliefs = np.full((3, 7), 0.4)
    (cheap,) = Session(animals, beliefs=beliefs, item_cost=0.5).ask()
    assert isinstance(cheap, ItemQuestion)
    assert str(cheap).startswith("Which of these is 0: ")
    assert set(cheap.labels) == set(animals.labels)
    (dear,) = Session(animals, beliefs=beliefs, item_cost=50).ask()
    assert isinstance(dear, co.Question)
    assert {type(q) for q in Session(animals, beliefs=beliefs, item_cost=0.5).ask(9)} == {ItemQuestion}
    assert len(Session(animals, beliefs=beliefs, item_cost=0.5).ask(9)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"item_cost": 0}, "above 0, got 0"),
        ({"costs": {"bird": -1}}, "above 0, got -1"),
        ({"costs": {"brid": 1}}, "did you mean 'bird'"),
        ({"item_cost": 2, "score": "log"}, "need score='posterior'"),
        ({"pick": "always", "score": "log"}, "need score='posterior'"),
        ({"pick": "sometimes"}, "'auto', 'always' or 'never'"),
        ({"stay": "here"}, "'label', 'item' or None"),
    ],
)
def test_bad_costs(animals, options, message):
    with pytest.raises(co.CorollaryError, match=message):
        Session(animals, beliefs=np.full((2, 7), 0.5), **options)
