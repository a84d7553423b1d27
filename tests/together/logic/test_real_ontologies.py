"""NELL, ImageNet, the Gene Ontology and WordNet at their real size: propagation, exact or certified posteriors."""

from __future__ import annotations

import gzip
import tracemalloc

import numpy as np
import pytest

import corollary as co

from ...real_data import DATA, needs_data

pytestmark = needs_data


def table(path):
    with gzip.open(DATA / path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def hierarchy(path):
    edges = [row[:2] for row in table(path)]
    return list(dict.fromkeys(name for edge in edges for name in edge)), [
        co.implies(*edge) for edge in edges
    ]


@pytest.fixture(scope="module")
def nell():
    labels = [row[0] for row in table("nell_ontology/categories.txt.gz")]
    constraints = [co.implies(*row) for row in table("nell_ontology/subsumption.tsv.gz")]
    return co.Ontology(
        labels,
        constraints + [co.exclusive(*row) for row in table("nell_ontology/mutex_pairs.tsv.gz")],
    )


def test_nell_is_exact(nell):
    assert (len(nell), len(nell.constraints)) == (271, 299 + 15_233)
    assert {engine.guarantee for engine in nell.engines} == {"exact"}
    rng = np.random.default_rng(0)
    beliefs = rng.random((4, len(nell))) ** 3
    found = nell.infer(beliefs, gain=True)
    q = found.posterior
    index = {label: k for k, label in enumerate(nell.labels)}
    for constraint in nell.constraints:
        if isinstance(constraint, type(co.exclusive("a", "b"))):
            assert (
                q[:, [index[label] for label in constraint.labels]].sum(axis=1) <= 1 + 1e-9
            ).all()
        else:
            parent, child = (index[label] for label in constraint.labels)
            assert (q[:, child] <= q[:, parent] + 1e-12).all()
    # An answer removes its entropy from the joint entropy: an identity that only exact posteriors satisfy.
    k = int(np.abs(q[0] - 0.5).argmin())
    left = 0.0
    for value in (0, 1):
        facts = np.full((1, len(nell)), -1, np.int8)
        facts[0, k] = value
        left += (q[0, k] if value else 1 - q[0, k]) * nell.joint_entropy(beliefs[:1], facts)[0]
    entropy = -q[0, k] * np.log(q[0, k]) - (1 - q[0, k]) * np.log(1 - q[0, k])
    assert found.joint_entropy[0] - left == pytest.approx(entropy, abs=1e-9)


def test_nell_lint_finds_the_redundant_pairs(nell):
    findings = nell.lint()
    redundant = [
        f
        for f in findings
        if f.kind == "redundant" and isinstance(f.constraints[0], type(nell.constraints[-1]))
    ]
    assert len(redundant) == 12_830
    assert not [f for f in findings if f.severity == "error"]
    needless = {id(f.constraints[0]) for f in findings if f.kind == "redundant"}
    fewer = co.Ontology(nell.labels, [c for c in nell.constraints if id(c) not in needless])
    rng = np.random.default_rng(1)
    facts = nell.most_probable(rng.random((200, len(nell))))
    facts[rng.random(facts.shape) < 0.97] = -1
    np.testing.assert_array_equal(fewer.propagate(facts), nell.propagate(facts))


def test_nell_clash_and_explanation(nell):
    with pytest.raises(co.Contradiction) as caught:
        nell.propagate({"bird": True, "city": True, "fish": False})
    assert caught.value.answers == {"bird": True, "city": True}
    known = nell.propagate({"bird": True})
    assert known["animal"] is True
    assert known["city"] is False
    why = nell.explain({"bird": True}, "city")
    assert why.value is False
    assert why.answers == {"bird": True}


def ancestors(labels, constraints):
    parents = {label: [] for label in labels}
    for constraint in constraints:
        for child in constraint.children:
            parents[child].append(constraint.parent)

    def above(label):
        found, stack = {label}, [label]
        while stack:
            for parent in parents[stack.pop()]:
                if parent not in found:
                    found.add(parent)
                    stack.append(parent)
        return found

    return above


def test_imagenet_21k_is_exact():
    labels, constraints = hierarchy("wordnet_imagenet/imagenet21k_goog_hierarchy.tsv.gz")
    onto = co.Ontology(labels, constraints)
    assert len(onto) == 23_547
    assert {engine.guarantee for engine in onto.engines} == {"exact"}
    above = ancestors(labels, constraints)
    for label in labels[:: len(labels) // 20]:
        assert {name for name, value in onto.propagate({label: True}).items() if value} == above(
            label
        )
    rng = np.random.default_rng(0)
    beliefs = rng.random((2, len(onto))) ** 6
    found = onto.infer(beliefs)
    assert (found.error == 0).all()
    # Exactness at full size: condition on the most uncertain label and add up again.
    q = found.posterior[0]
    k = int(np.abs(q - 0.5).argmin())
    mixed = 0.0
    for value in (0, 1):
        facts = np.full((1, len(onto)), -1, np.int8)
        facts[0, k] = value
        mixed = mixed + (q[k] if value else 1 - q[k]) * onto.posterior(beliefs[:1], facts)[0]
    np.testing.assert_allclose(mixed, q, atol=1e-9)


def test_gene_ontology_is_certified_where_beliefs_allow_and_an_estimate_where_not():
    labels, constraints = hierarchy("hmc_cellcycle_go/hierarchy.tsv.gz")
    onto = co.Ontology(labels, constraints)
    assert len(onto) == 4_125
    above = ancestors(labels, constraints)
    assert {name for name, value in onto.propagate({labels[7]: True}).items() if value} == above(
        labels[7]
    )
    rng = np.random.default_rng(0)
    # Like a classifier's: a few specific labels likely, with most of what they imply, the rest unlikely.
    beliefs = np.clip(rng.beta(0.05, 4, (8, len(labels))), 1e-4, 1 - 1e-4)
    index = {label: k for k, label in enumerate(labels)}
    for i in range(len(beliefs)):
        for k in rng.integers(0, len(labels), 4):
            for name in above(labels[k]):
                beliefs[i, index[name]] = rng.uniform(0.3, 0.98)
    found = onto.infer(beliefs)
    assert (found.error <= 1e-6).mean() > 0.7
    certified = np.flatnonzero(found.error <= 1e-6)[0]
    wide = onto.with_budget(co.Budget(error=1e-9, states=4_000_000)).infer(beliefs[[certified]])
    assert wide.error[0] <= 1e-9
    np.testing.assert_allclose(found.posterior[certified], wide.posterior[0], atol=1.1e-6)
    with pytest.warns(co.EstimateWarning):
        flat = onto.infer(np.full((1, len(labels)), 0.5))
    assert np.isnan(flat.error).all()
    assert any("estimate" in engine.guarantee for engine in onto.engines)


def test_wordnet_propagates_without_a_table_of_pairs():
    labels, constraints = hierarchy("wordnet_imagenet/wordnet30_noun_hypernyms.tsv.gz")
    onto = co.Ontology(labels, constraints)
    assert len(onto) == 82_115
    above = ancestors(labels, constraints)
    onto.propagate({})
    tracemalloc.start()
    known = onto.propagate({labels[-1]: True})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {name for name, value in known.items() if value} == above(labels[-1])
    assert peak < 50e6
    root = next(label for label in labels if len(above(label)) == 1)
    assert not any(
        onto.propagate({root: False})[label] for label in labels[:100] if root in above(label)
    )
