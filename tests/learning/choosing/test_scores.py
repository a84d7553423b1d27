"""Every score equals its definition by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.choosing import scores
from corollary.learning.choosing.scores import NAMES, check_session_score, score

from ...logic.brute import truth
from ...logic.ontologies import ontologies, random_ontology, worlds

SURPRISES = {
    "log": lambda p: -np.log(np.maximum(p, 1e-12)),
    "linear": lambda p: 1 - p,
    "expected": lambda p: 1.0,
}


class Certain:
    """A strategy."""

    def worth(self, now, /):
        return lambda rows, known: np.ones(known.shape)


def by_definition(name, labels, constraints, beliefs, facts):
    """Scores of one item from the list of its legal worlds; None where the facts contradict one another."""
    legal = worlds(labels, constraints)
    now = truth(legal, beliefs, facts)
    if now is None:
        return None
    out = np.full(len(labels), -np.inf)
    for k in np.flatnonzero(now.known < 0):
        p = beliefs[k]
        if name == "entropy":
            c = np.clip(p, 1e-12, 1 - 1e-12)
            out[k] = -c * np.log(c) - (1 - c) * np.log(1 - c)
        elif name == "probability":
            out[k] = p
        elif name == "posterior":
            q = np.clip(now.posterior[k], 1e-12, 1 - 1e-12)
            out[k] = -q * np.log(q) - (1 - q) * np.log(1 - q)
        elif name == "gain":
            out[k] = now.gain[k]
        else:
            out[k] = 0.0
            for value, weight in ((1, p), (0, 1 - p)):
                more = facts.copy()
                more[k] = value
                after = truth(legal, beliefs, more).known
                new = (after >= 0) & (now.known < 0)
                surprise = [
                    SURPRISES[name](beliefs[j] if after[j] else 1 - beliefs[j])
                    for j in np.flatnonzero(new)
                ]
                out[k] += weight * np.sum(surprise)
    return out


def check(labels, constraints, rng):
    onto = co.Ontology(labels, constraints)
    if not len(worlds(labels, constraints)):
        return 0
    beliefs = rng.uniform(0.01, 0.99, (4, len(labels)))
    facts = np.where(
        rng.random(beliefs.shape) < 0.25, rng.integers(0, 2, beliefs.shape), -1
    ).astype(np.int8)
    facts[0] = -1
    checked = 0
    for name in set(NAMES) - {"random"}:
        for i in range(len(beliefs)):
            expected = by_definition(name, labels, constraints, beliefs[i], facts[i])
            if expected is not None:
                found = score(name, beliefs[[i]], onto, facts[[i]])[0]
                np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=name)
                checked += 1
    return checked


@pytest.mark.parametrize(
    "kinds", [("subsumes", "exclusive"), ("subsumes",), ("exclusive",), None], ids=str
)
def test_scores_equal_their_definition_on_a_seed_sweep(kinds):
    checked = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        more = {} if kinds is None else {"kinds": kinds}
        checked += check(
            *random_ontology(rng, int(rng.integers(2, 8)), int(rng.integers(0, 6)), **more), rng
        )
    assert checked > 200


@settings(max_examples=40)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_scores_equal_their_definition(ontology, seed):
    check(*ontology, np.random.default_rng(seed))


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_one_exclusive_group_is_equation_4(n, seed):
    """The mutual-exclusion form of the paper, written out."""
    p = np.random.default_rng(seed).uniform(0.01, 0.99, (3, n))
    labels = [f"l{k}" for k in range(n)]
    onto = co.Ontology(labels, [co.exclusive(*labels)])
    for name in ("log", "linear"):
        yes, no = SURPRISES[name](p), SURPRISES[name](1 - p)
        eq4 = p * (yes + no.sum(axis=1, keepdims=True) - no) + (1 - p) * no
        np.testing.assert_allclose(score(name, p, onto), eq4, atol=1e-12)


def test_posterior_and_gain_of_many_items_under_one_exclusive_group():
    """Several blocks of rows, beliefs of 0 and 1 among them, against the closed form."""
    rng = np.random.default_rng(0)
    n, labels = 4000, [f"l{k}" for k in range(26)]
    onto = co.Ontology(labels, [co.exclusive(*labels)])
    beliefs = rng.random((n, 26)) ** rng.choice([0.2, 1.0, 5.0], (n, 1))
    beliefs[::7, 3], beliefs[::5, 4], beliefs[::11, 5] = 0.0, 1.0, 1e-300
    facts = np.full(beliefs.shape, -1, np.int8)
    facts[rng.random(facts.shape) < 0.2] = 0
    facts[::9, 6] = 1
    facts[::9, :6] = -1
    facts[::9, 7:] = -1

    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log1p(-p)

    p = np.clip(beliefs, 1e-12, 1 - 1e-12)
    is_open = (facts < 0) & ~(facts == 1).any(axis=1, keepdims=True)
    weight = np.where(is_open, p / (1 - p), 0.0)
    none = 1 / (1 + weight.sum(axis=1, keepdims=True))
    q = np.clip(weight * none, 1e-12, 1 - 1e-12)
    for name, expected in {
        "posterior": entropy(q),
        "gain": entropy(q) - (q + none) * entropy(p),
    }.items():
        found = score(name, beliefs, onto, facts)
        np.testing.assert_allclose(
            found, np.where(is_open, expected, -np.inf), rtol=0, atol=1e-9, err_msg=name
        )
        np.testing.assert_array_equal(
            found[::97], [score(name, beliefs[[i]], onto, facts[[i]])[0] for i in range(0, n, 97)]
        )


def test_a_surprise_of_ones_own():
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    p = np.array([[0.5, 0.3, 0.2]])
    np.testing.assert_allclose(score(lambda x: 1 - x, p, onto), score("linear", p, onto))
    assert not np.allclose(score(lambda x: (1 - x) ** 2, p, onto), score("linear", p, onto))


def test_random_scores_repeat_and_leave_out_what_follows():
    onto = co.Ontology.parse("animal > bird, fish")
    beliefs, facts = np.full((2, 3), 0.5), np.array([[-1, 1, -1], [-1, -1, -1]])
    one, two = (score("random", beliefs, onto, facts, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert np.isneginf(one).tolist() == [[True, True, False], [False, False, False]]
    assert not np.array_equal(one, score("random", beliefs, onto, facts, random_state=4))
    for source in (None, np.random.default_rng(3), np.random.RandomState(3)):
        assert score("random", beliefs, onto, facts, random_state=source).shape == beliefs.shape
    with pytest.raises(co.CorollaryError, match="random_state must be a whole number"):
        score("random", beliefs, onto, facts, random_state="seed")


@pytest.mark.parametrize("cells_at_once", [scores.CELLS_AT_ONCE, 300])
def test_rows_do_not_influence_one_another(cells_at_once, monkeypatch):
    onto = co.Ontology.parse("animal > exclusive: bird, fish\nrule: bird & wet >> duck | fish")
    rng = np.random.default_rng(0)
    beliefs = rng.random((500, len(onto)))
    monkeypatch.setattr(scores, "CELLS_AT_ONCE", cells_at_once)
    for name in set(NAMES) - {"random"}:
        together = score(name, beliefs, onto)
        np.testing.assert_allclose(
            together[::7], [score(name, beliefs[[i]], onto)[0] for i in range(0, 500, 7)]
        )


def test_many_items_are_scored_so_many_at_a_time(monkeypatch):
    onto, beliefs, sizes = co.Ontology(["a", "b", "c"]), np.full((100, 3), 0.25), []
    monkeypatch.setattr(scores, "CELLS_AT_ONCE", 30)

    def surprise(p):
        sizes.append(p.size)
        return 1 - p

    np.testing.assert_allclose(score(surprise, beliefs, onto), 2 * 0.25 * 0.75)
    assert sum(sizes) == 2 * beliefs.size
    assert max(sizes) <= 30


def test_a_belief_of_0_or_1_is_not_a_fact():
    """By the entropy of what is as far inside as documented."""
    onto, inside = co.Ontology(["a", "b"]), 1e-12
    entropy = -inside * np.log(inside) + inside
    for name in ("entropy", "posterior"):
        np.testing.assert_allclose(
            score(name, [[0.0, 1.0]], onto), entropy, rtol=1e-3, atol=1e-15, err_msg=name
        )


def test_unknown_names_and_wrong_shapes():
    onto = co.Ontology.parse("animal > bird")
    with pytest.raises(co.CorollaryError, match="did you mean 'posterior'"):
        score("posteror", [[0.5, 0.5]], onto)
    for name in (7, "", ["gain"]):
        with pytest.raises(co.CorollaryError, match=r"There are: random, entropy"):
            score(name, [[0.5, 0.5]], onto)
    with pytest.raises(co.CorollaryError, match="follows a session"):
        score(Certain(), [[0.5, 0.5]], onto)
    with pytest.raises(co.CorollaryError, match="one shape"):
        score("entropy", [[0.5, 0.5]], onto, [[-1, -1], [-1, -1]])
    with pytest.raises(co.Contradiction):
        score("entropy", [[0.5, 0.5]], onto, [[0, 1]])


def test_a_session_has_one_score_more():
    assert check_session_score("contrast") == "contrast"
    assert check_session_score("gain") == "gain"
    with pytest.raises(co.CorollaryError, match="did you mean 'contrast'"):
        check_session_score("contrasts")
    with pytest.raises(
        co.CorollaryError, match="the score 'contrast' needs the nearest neighbours of items"
    ):
        score("contrast", [[0.5, 0.5]], co.Ontology.parse("animal > bird"))
