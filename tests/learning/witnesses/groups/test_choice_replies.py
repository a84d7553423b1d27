"""Whole replies: which votes are one, and that their likelihood weighs every legal world as it should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.groups.choice_replies import as_chances, whole_replies
from corollary.learning.witnesses.reports import read_reports

from ....logic.ontologies import worlds

NAN = np.nan
FLAT = co.Ontology.parse("exclusive: a, b, c")
CHAIN = co.Ontology.parse("animal > exclusive: bird, fish\nbird > exclusive: owl, jay")


@pytest.mark.parametrize(
    ("onto", "votes", "said"),
    [
        (FLAT, [1, NAN, NAN], "a"),  # a pick says the rest
        (FLAT, [0, 1, 0], "b"),
        (FLAT, [0, 0, 0], None),  # none of them
        (FLAT, [0, 0, NAN], "?"),
        (FLAT, [1, 1, 0], "?"),  # cannot be
        (CHAIN, [NAN, NAN, NAN, 1, NAN], "owl"),
        (CHAIN, [1, 1, 0, 0, 0], "bird"),
        (CHAIN, [1, NAN, NAN, NAN, NAN], "?"),  # an animal: which?
        (CHAIN, [0, NAN, NAN, NAN, NAN], None),
        (CHAIN, [1, 0, 1, 1, 0], "?"),
    ],
)
def test_which_votes_are_a_whole_reply(onto, votes, said):
    read = read_reports({"ann": [votes]}, onto)
    (choice,) = onto.choices
    replies, taken = whole_replies(choice, read)
    if said == "?":
        assert replies is None
        assert not taken.any()
        return
    assert taken.all()
    option = replies.options[replies.said[0]]
    assert (None if option < 0 else onto.labels[choice.labels[option]]) == said
    held = {onto.labels[k] for k in choice.labels[replies.said_yes()[replies.said[0]]]}
    assert held == (
        {said} | {k for k, v in onto.propagate({said: True}).items() if v} if said else set()
    )


@pytest.mark.parametrize("text", ["exclusive: a, b, c", "exactly one: a, b, c", str(CHAIN)])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_evidence_weighs_every_legal_world_by_its_likelihood(text, seed):
    onto = co.Ontology.parse(text)
    (choice,) = onto.choices
    rng = np.random.default_rng(seed)
    replies, _ = whole_replies(
        choice,
        read_reports(
            {"ann": [[1 if k == choice.labels[-1] else NAN for k in range(len(onto))]]}, onto
        ),
    )
    likelihood = rng.normal(size=(1, len(replies.options)))
    evidence = np.zeros((1, len(onto)))
    evidence[:, choice.labels] = replies.evidence(likelihood)
    weights = {}
    for world in worlds(list(onto.labels), list(onto.constraints)):
        narrowest = [
            j
            for j in range(len(choice.labels))
            if world[choice.labels[j]]
            and not any(
                world[choice.labels[i]] for i in range(len(choice.labels)) if choice.parent[i] == j
            )
        ]
        place = narrowest[0] if narrowest else -1
        weights[tuple(world)] = likelihood[0, list(replies.options).index(place)]
    total = np.logaddexp.reduce(list(weights.values()))
    expected = sum(np.exp(w - total) * np.array(world) for world, w in weights.items())
    posterior = onto.posterior(np.full((1, len(onto)), 0.5), evidence=evidence)
    np.testing.assert_allclose(posterior[0], expected, atol=1e-9)
    chances = replies.chances(posterior)
    np.testing.assert_allclose(chances.sum(), 1)
    for place, chance in zip(replies.options, chances[0], strict=True):
        of_it = [
            np.exp(w - total)
            for world, w in weights.items()
            if w == likelihood[0, list(replies.options).index(place)]
        ]
        np.testing.assert_allclose(chance, sum(of_it), atol=1e-9)


def test_beliefs_of_a_choice_become_probabilities_that_can_be():
    (choice,) = FLAT.choices
    np.testing.assert_allclose(
        as_chances(choice, np.array([[0.2, 0.1, 0.1], [0.9, 0.9, 0.0]])),
        [[0.2, 0.1, 0.1], [0.5, 0.5, 0]],
    )
    (exactly,) = co.Ontology.parse("exactly one: a, b, c").choices
    np.testing.assert_allclose(
        as_chances(exactly, np.array([[0.2, 0.1, 0.1]])), [[0.5, 0.25, 0.25]]
    )


def test_label_counts_equal_those_of_the_replies_taken_label_by_label():
    onto, rng = CHAIN, np.random.default_rng(1)
    (choice,) = onto.choices
    rows = [(i, ["owl", "jay", "fish"][rng.integers(3)], w, 1) for w in range(3) for i in range(6)]
    replies, _ = whole_replies(choice, read_reports(rows, onto))
    posterior = rng.random((6, len(onto)))
    counts, right = replies.label_counts(posterior, 3)
    expected = np.zeros((2, 2, 3, len(onto)))
    for i, picked, w, _ in rows:
        held = onto.propagate({picked: True})
        for k, label in enumerate(onto.labels):
            p, yes = posterior[i, k], held.get(label, False)
            expected[0, :, w, k] += 1 - p, p
            expected[1, :, w, k] += (1 - p) * (not yes), p * yes
    order = np.argsort(choice.labels)
    np.testing.assert_allclose(np.array([counts, right])[..., order], expected, atol=1e-12)
    assert replies.said_of_labels(6).sum() == sum(
        sum(onto.propagate({label: True}).values()) for _, label, _, _ in rows
    )


def test_many_votes_are_looked_at_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [(i, "abc"[rng.integers(3)], w, 1) for w in range(4) for i in range(9)]
    (choice,) = FLAT.choices
    whole, _ = whole_replies(choice, read_reports(rows, FLAT))
    monkeypatch.setattr("corollary.learning.witnesses.groups.choice_replies.AT_ONCE", 12)
    in_parts, taken = whole_replies(choice, read_reports(rows, FLAT))
    assert taken.all()
    np.testing.assert_array_equal(in_parts.said, whole.said)
    np.testing.assert_array_equal(in_parts.item, whole.item)
