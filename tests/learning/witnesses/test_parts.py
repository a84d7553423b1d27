"""Reports by kind: which model weighs what, and that evidence adds up."""

from __future__ import annotations

import numpy as np

import corollary as co
from corollary.learning.witnesses.groups.confusion import Confusion
from corollary.learning.witnesses.groups.pooled_confusion import PooledConfusion
from corollary.learning.witnesses.parts import Parts
from corollary.learning.witnesses.reports import read_reports

ONTO = co.Ontology(["a", "b", "c", "d"], [co.exclusive("a", "b", "c")])
NAN = np.nan
TABLES = {
    "picks": [[1, 0, 0, NAN], [0, 0, 1, NAN], [NAN, NAN, 1, 1]],
    "votes": [[1, NAN, 1, 0], [NAN, 0, NAN, 1], [0, NAN, NAN, 0]],
    "model": [[0.5, 0.2, 0.1, 0.9], [0.1, 0.1, 0.8, NAN], [0.3, NAN, 0.7, 0.4]],
}


def made(facts=None):
    known = np.full((3, 4), -1, np.int8) if facts is None else ONTO.propagate(facts)
    return Parts(read_reports(TABLES, ONTO), ONTO, known)


def test_each_report_is_weighed_once_by_the_model_of_its_kind():
    parts = made()
    (choice,) = parts.choices
    replies = list(zip(choice.replies.witness.tolist(), choice.replies.item.tolist(), strict=True))
    assert replies == [
        (0, 0),
        (0, 1),
        (0, 2),
    ]  # what "votes" says of a, b, c settles nothing, or cannot be
    votes = [
        (int(w), int(i), ONTO.labels[k])
        for w, i, k in zip(parts.votes.witness, parts.votes.item, parts.votes.label, strict=True)
    ]
    assert votes == [
        (0, 2, "d"),
        (1, 0, "a"),
        (1, 0, "c"),
        (1, 0, "d"),
        (1, 1, "b"),
        (1, 1, "d"),
        (1, 2, "a"),
        (1, 2, "d"),
    ]
    assert len(parts.scores.value) == 11  # and what "model" leaves for b of item 2


def test_evidence_is_the_sum_over_witnesses_of_labels_and_the_likelihood_of_choices():
    parts = made()
    alone = [parts.evidence(np.arange(3) == w) for w in range(3)]
    nobody = parts.evidence(np.zeros(3, np.bool_))
    np.testing.assert_allclose(nobody, 0, atol=1e-12)
    np.testing.assert_allclose(
        sum(alone)[:, 3], parts.evidence()[:, 3], atol=1e-12
    )  # d is in no choice
    np.testing.assert_allclose(
        sum(alone), parts.evidence(), atol=1e-12
    )  # one picks, so that choices add up too


def test_what_was_said_is_counted_cell_by_cell_for_the_choice_as_well():
    parts = made()
    counts, right = parts.counts(np.full((3, 4), 0.5))
    np.testing.assert_allclose(counts.sum(0), [[3, 3, 3, 1], [2, 1, 1, 3], [3, 3, 3, 2]])
    np.testing.assert_allclose(right.sum(0), counts.sum(0) / 2)


def test_facts_are_in_the_first_look():
    facts = np.full((3, 4), -1)
    facts[:, 3] = 1
    assert made(facts).prevalence.odds[3] > made().prevalence.odds[3] + 2


def test_one_table_for_all_where_that_is_wanted_and_then_witnesses_add_up():
    rng = np.random.default_rng(0)
    picks = {name: np.eye(4)[rng.integers(3, size=60)] for name in "xyz"}
    said, known = read_reports(picks, ONTO), np.full((60, 4), -1, np.int8)
    assert [
        type(Parts(said, ONTO, known, pooled=pooled).choices[0]) for pooled in (False, True)
    ] == [
        Confusion,
        PooledConfusion,
    ]
    parts = Parts(said, ONTO, known, pooled=True)
    np.testing.assert_allclose(
        sum(parts.evidence(np.arange(3) == w) for w in range(3)), parts.evidence(), atol=1e-12
    )
