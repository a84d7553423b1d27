"""Truth and reliability from reports alone: naive twins, real crowds, and witnesses of every bad sort."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import NotFittedError

import corollary as co

from ...logic.ontologies import ontologies, worlds
from ...real_data import data_path

TREE = co.Ontology.parse("animal > exclusive: bird, fish, cat\nbird > owl, jay\nwater > fish")


def some_truth(onto: co.Ontology, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return onto.most_probable(rng.random((n, len(onto))))


def noisy(truth: np.ndarray, error: float, seed: int) -> np.ndarray:
    """Votes on all cells, each wrong with this chance."""
    wrong = np.random.default_rng(seed).random(truth.shape) < error
    return np.where(wrong, 1 - truth, truth).astype(float)


def machine(truth: np.ndarray, skill: float, seed: int) -> np.ndarray:
    """Probabilities whose log-odds are a step apart, with noise."""
    rng = np.random.default_rng(seed)
    return expit(skill * (2 * truth - 1) + rng.normal(size=truth.shape))


def right(found: co.Consensus, truth: np.ndarray) -> float:
    return float((found.predict() == truth).mean())


@settings(max_examples=40, deadline=None)
@given(ontologies(max_labels=5, max_constraints=4), st.integers(0, 2**32 - 1))
def test_the_posterior_is_that_of_all_worlds_weighed_by_all_that_was_said(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints).astype(float)
    if not len(legal):
        return
    onto, rng = co.Ontology(labels, constraints), np.random.default_rng(seed)
    truth = legal[rng.integers(len(legal), size=6)]
    silent = rng.random((4, *truth.shape)) < 0.3
    reports = {
        "ann": noisy(truth, 0.1, seed),
        "bob": noisy(truth, 0.3, seed + 1),
        "model": machine(truth, 1.0, seed + 2),
        "pick": truth,
    }
    reports = {
        w: np.where(s, np.nan, said) for s, (w, said) in zip(silent, reports.items(), strict=True)
    }
    if any(np.isnan(said).all() for said in reports.values()):
        return
    facts = np.where(rng.random(truth.shape) < 0.1, truth, -1).astype(int)
    found = co.Consensus(onto, max_iter=3).fit(reports, facts)
    parts = found._parts
    for i in range(6):
        log_weight = legal @ parts.prevalence.odds
        votes = parts.votes
        for r in np.flatnonzero(votes.item == i):
            w, k, v = votes.witness[r], votes.label[r], votes.value[r]
            yes, no = parts.trust.sensitivity[w, k], parts.trust.specificity[w, k]
            chance = np.where(legal[:, k] == 1, yes if v else 1 - yes, 1 - no if v else no)
            log_weight += parts.weight[w] * np.log(chance)
        ratio = parts.calibration.log_ratio()
        for r in np.flatnonzero(parts.scores.item == i):
            log_weight += (
                parts.weight[parts.scores.witness[r]] * ratio[r] * legal[:, parts.scores.label[r]]
            )
        for one in parts.choices:
            chances, own = one.log_likelihood()[i], one.replies.choice.labels
            options = [tuple(row) for row in one.replies.said_yes()]
            log_weight += [chances[options.index(tuple(world[own] == 1))] for world in legal]
        agrees = ((facts[i] < 0) | (legal == facts[i])).all(axis=1)
        p = np.where(agrees, np.exp(log_weight - log_weight[agrees].max()), 0.0)
        np.testing.assert_allclose(found.posterior_[i], p @ legal / p.sum(), atol=1e-9)
        best = int(np.flatnonzero((legal == found.predict()[i]).all(axis=1))[0])
        assert p[best] >= p.max() * (1 - 1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_reports_does_not_matter_and_what_is_told_is_consistent(seed):
    rng = np.random.default_rng(seed)
    truth = some_truth(TREE, 12, seed)
    rows = [
        (i, TREE.labels[k], w, int(truth[i, k] ^ (rng.random() < 0.2)))
        for w in "abc"
        for i in range(12)
        for k in range(len(TREE))
        if rng.random() < 0.7
    ]
    found = co.Consensus(TREE).fit(rows, items=range(12))
    again = co.Consensus(TREE).fit([rows[r] for r in rng.permutation(len(rows))], items=range(12))
    np.testing.assert_allclose(again.posterior_, found.posterior_, atol=1e-6)
    for w in found.witnesses_:
        for name in ("accuracy", "sensitivity", "specificity"):
            rate, (low, high) = (
                getattr(found, f"{name}_")[w],
                getattr(found, f"{name}_interval_")[w],
            )
            said = ~np.isnan(rate)
            assert ((low <= rate) & (rate <= high))[said].all()
            assert ((low >= 0) & (high <= 1))[said].all()
    assert not TREE.closure(found.predict())[1].any()


def test_three_people_and_two_machines_are_told_apart_without_one_true_label():
    truth = some_truth(TREE, 600)
    errors = {"careful": 0.02, "quick": 0.08, "sloppy": 0.25}
    reports = {w: noisy(truth, e, seed) for seed, (w, e) in enumerate(errors.items())}
    reports |= {"good": machine(truth, 2.0, 7), "poor": machine(truth, 0.3, 8)}
    found = co.Consensus(TREE).fit(reports)
    assert found.converged_
    assert right(found, truth) > 0.99
    for w, table in reports.items():
        true = ((table > 0.5) == truth).mean(axis=0)
        np.testing.assert_allclose(found.accuracy_[w], true, atol=0.05)
        low, high = found.accuracy_interval_[w]
        assert ((low <= true) & (true <= high)).mean() > 0.7


def test_facts_are_certain_and_sharpen_the_rest():
    truth = some_truth(TREE, 200)
    reports = {w: noisy(truth, e, w) for w, e in enumerate((0.4, 0.4, 0.15))}
    facts = np.full(truth.shape, -1)
    facts[:80] = truth[:80]
    alone, with_facts = co.Consensus(TREE).fit(reports), co.Consensus(TREE).fit(reports, facts)
    np.testing.assert_array_equal(with_facts.posterior_[:80], truth[:80])

    def off(found: co.Consensus) -> float:
        return float(
            np.mean(
                [
                    abs(found.accuracy_[w] - (reports[w] == truth).mean(axis=0)).mean()
                    for w in reports
                ]
            )
        )

    assert off(with_facts) < off(alone)
    assert (with_facts.predict()[80:] == truth[80:]).mean() >= (
        alone.predict()[80:] == truth[80:]
    ).mean()


CROWD = {f"person {w}": 0.1 + 0.03 * w for w in range(5)}


@pytest.mark.parametrize("choice", [False, True], ids=["labels", "choice"])
@pytest.mark.parametrize("sort", ["worse than chance", "copies", "always no", "spams"])
def test_bad_witnesses_do_not_move_the_result_far(choice, sort):
    onto = co.Ontology.parse("exactly one: a, b, c, d") if choice else TREE
    truth = some_truth(onto, 400)
    if choice:

        def said(error: float, seed: int) -> np.ndarray:
            own = np.random.default_rng(seed)
            wrong = own.random(len(truth)) < error
            return np.eye(4)[
                np.where(wrong, own.integers(4, size=len(truth)), truth.argmax(axis=1))
            ]
    else:

        def said(error: float, seed: int) -> np.ndarray:
            return noisy(truth, error, seed)

    crowd = {w: said(e, seed) for seed, (w, e) in enumerate(CROWD.items())}
    good = right(co.Consensus(onto).fit(crowd), truth)
    sloppy = said(0.35, 99)
    bad = {
        "worse than chance": {
            "liar": np.roll(truth, 1, axis=1) * 1.0 if choice else noisy(truth, 0.8, 9)
        },
        "copies": {f"copy {j}": sloppy for j in range(6)},
        "always no": {
            "no": np.eye(4)[np.zeros(len(truth), int)] if choice else np.zeros(truth.shape)
        },
        "spams": {f"spam {j}": said(0.97 if choice else 0.5, 20 + j) for j in range(4)},
    }[sort]
    found = co.Consensus(onto).fit(crowd | bad)
    assert right(found, truth) > good - 0.01
    for w in bad:
        true = (bad[w] == truth).mean()
        assert abs(found.accuracy_[w].mean() - true) < 0.06


def test_a_machine_that_always_says_the_same_or_nothing_of_use():
    truth = some_truth(TREE, 300)
    crowd = {w: machine(truth, 1.0, w) for w in range(4)}
    good = right(co.Consensus(TREE).fit(crowd), truth)
    crowd |= {
        "constant": np.full(truth.shape, 0.2),
        "dice": np.random.default_rng(0).random(truth.shape),
    }
    assert right(co.Consensus(TREE).fit(crowd), truth) > good - 0.01


def test_one_witness_one_item_one_report():
    found = co.Consensus(TREE).fit([(0, "owl", "ann", 1)])
    assert found.posterior_[0, TREE.index["bird"]] >= found.posterior_[0, TREE.index["owl"]] > 0.5
    assert np.isnan(found.accuracy_["ann"][TREE.index["water"]])
    low, high = found.accuracy_interval_["ann"][:, TREE.index["owl"]]
    assert high - low > 0.2


def test_logic_helps():
    onto = co.Ontology.parse("exactly one: " + ", ".join("abcdefgh"))
    truth = some_truth(onto, 400)
    reports = {w: machine(truth, 0.8, w) for w in range(4)}
    free = co.Consensus(co.Ontology(onto.labels)).fit(reports)
    tied = co.Consensus(onto).fit(reports)
    assert right(tied, truth) > right(free, truth)


@pytest.mark.parametrize(("name", "at_least"), [("crowd_dog", 0.845), ("crowd_duck", 0.889)])
def test_real_crowds(name, at_least):
    answers = pd.read_csv(data_path(name, "answers.csv"))
    truth = pd.read_csv(data_path(name, "truth.csv")).set_index("question")["truth"]
    labels = [str(c) for c in sorted(truth.unique())]
    onto = co.Ontology(labels, [co.exactly_one(*labels)])
    table = {
        "item": answers["question"],
        "label": answers["answer"].astype(str),
        "witness": answers["worker"],
    }
    found = co.Consensus(onto).fit(
        table | {"value": np.ones(len(answers))}, items=truth.index.tolist()
    )
    assert (found.predict().argmax(axis=1) == truth.to_numpy()).mean() >= at_least


def test_half_of_a_real_crowd_beats_the_majority_of_the_same_answers():
    answers = pd.read_csv(data_path("crowd_dog", "answers.csv")).sample(frac=0.5, random_state=0)
    truth = pd.read_csv(data_path("crowd_dog", "truth.csv")).set_index("question")["truth"]
    labels = [str(c) for c in sorted(truth.unique())]
    onto = co.Ontology(labels, [co.exactly_one(*labels)])
    table = {
        "item": answers["question"],
        "label": answers["answer"].astype(str),
        "witness": answers["worker"],
    }
    found = co.Consensus(onto).fit(
        table | {"value": np.ones(len(answers))}, items=truth.index.tolist()
    )
    votes = pd.crosstab(answers["question"], answers["answer"]).reindex(truth.index, fill_value=0)
    majority = votes.to_numpy().argmax(axis=1) == truth.to_numpy()
    assert (found.predict().argmax(axis=1) == truth.to_numpy()).mean() > majority.mean()


def test_progress_and_bad_arguments():
    steps = []
    found = co.Consensus(TREE, max_iter=7, progress=lambda step, of: steps.append((step, of)))
    found.fit([(0, "owl", "ann", 1), (1, "owl", "bob", 0)])
    assert steps == [(step, 7) for step in range(1, found.n_iter_ + 1)]
    with pytest.raises(co.CorollaryError, match="facts have 2 items where the reports have 1"):
        co.Consensus(TREE).fit([(0, "owl", "ann", 1)], np.full((2, len(TREE)), -1), items=[0])
    with pytest.raises(co.CorollaryError, match="which items are the facts about"):
        co.Consensus(TREE).fit([(0, "owl", "ann", 1)], np.full((1, len(TREE)), -1))
    with pytest.raises(NotFittedError, match="call fit.reports. first"):
        co.Consensus(TREE).predict()
    with pytest.raises(NotFittedError, match="call fit.reports. first"):
        co.Consensus(TREE).pick_worth()
    with pytest.raises(co.CorollaryError, match="max_iter"):
        co.Consensus(TREE, max_iter=0)
    with pytest.raises(co.CorollaryError, match="must be an Ontology"):
        co.Consensus("owl")


def test_whole_numbers_are_ids_and_not_row_numbers():
    rows = [(1_000_000, "owl", "ann", 1), (5, "jay", "ann", 1), (5, "jay", "bob", 1)]
    found = co.Consensus(TREE).fit(rows)
    assert found.items_ == (1_000_000, 5)
    assert found.posterior_.shape == (2, len(TREE))
    facts = pd.DataFrame({"owl": [0, 1]}, index=[5, 1_000_000])
    assert co.Consensus(TREE).fit(rows, facts).posterior_[:, TREE.index["owl"]].round(
        9
    ).tolist() == [1, 0]
