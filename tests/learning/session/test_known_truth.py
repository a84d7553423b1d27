"""Answers from a known truth: as a person's, and only from a truth that is whole and legal."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.choosing.scores import NAMES
from corollary.learning.session.options import Asking
from corollary.learning.session.session import Session

from ..legal import legal_rows


@pytest.mark.parametrize("name", NAMES)
def test_asking_a_person_equals_asking_a_truth(animals, name):
    rng = np.random.default_rng(1)
    truth, beliefs = legal_rows(animals, rng, 20), rng.random((20, 7))
    by_truth, by_person = (
        Session(animals, beliefs=beliefs, asking=Asking(score=name), random_state=5)
        for _ in range(2)
    )
    batch = by_truth.answer_from(truth, 25)
    for i, k in zip(batch.item, batch.label, strict=True):
        (question,) = by_person.ask()
        assert (question.item, question.label) == (i, animals.labels[k])
        by_person.answer(question, bool(truth[i, k]))
    np.testing.assert_array_equal(by_truth.facts, by_person.facts)


@pytest.mark.parametrize(
    ("truth", "told"),
    [
        ([[-1, 0]], "says unknown of 0 and 'a'"),
        ([[0, 0]], "says no of 0 and 'a', which is known"),
        ([[0, 1]], "known"),
    ],
)
def test_a_truth_is_whole_legal_and_agrees_with_what_is_known(truth, told):
    session = Session(co.Ontology.parse("a > b"), beliefs=np.full((1, 2), 0.5), facts=[[1, -1]])
    with pytest.raises(co.CorollaryError, match=told):
        session.answer_from(truth, 1)
    empty = Session(session.onto, beliefs=np.full((2, 2), 0.5))
    with pytest.raises(co.Contradiction) as clash:
        empty.answer_from([[1, 1], [0, 1]], 1)
    assert clash.value.item == 1
