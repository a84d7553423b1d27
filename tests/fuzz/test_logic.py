"""Random small ontologies against the list of their legal worlds, and odd arguments, which get errors of ours."""

from __future__ import annotations

import datetime
import warnings

import networkx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.logic.errors import Contradiction, CorollaryError
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from tests.logic.brute import entropy, mixed_beliefs, some_facts, truth
from tests.logic.ontologies import entailed, facts_of, ontologies, worlds

from .frame import examples, within

pytestmark = pytest.mark.slow


def satisfiable(drawn):
    """The ontology and its worlds; None if no world is legal, which the first question must tell."""
    labels, constraints = drawn
    legal = worlds(labels, constraints)
    onto = co.Ontology(labels, constraints)
    if len(legal):
        return onto, legal
    with pytest.raises(Contradiction, match="contradicts itself"):
        onto.propagate({})
    return None


@examples(60)
@given(st.data())
def test_what_follows_is_what_all_worlds_share(data):
    if (found := satisfiable(data.draw(ontologies()))) is None:
        return
    onto, legal = found
    facts = data.draw(facts_of(onto.labels))
    expected = entailed(legal, onto.labels, facts)
    with within():
        if expected is not None:
            assert onto.propagate(facts) == expected
            return
        with pytest.raises(Contradiction) as caught:
            onto.propagate(facts)
    clash = caught.value
    assert clash.answers.items() <= facts.items()
    of_clash = worlds(onto.labels, clash.constraints)
    assert entailed(of_clash, onto.labels, clash.answers) is None
    for k in range(len(clash.constraints)):
        fewer = worlds(onto.labels, [*clash.constraints[:k], *clash.constraints[k + 1 :]])
        assert entailed(fewer, onto.labels, clash.answers) is not None
    for label in clash.answers:
        assert (
            entailed(legal, onto.labels, {k: v for k, v in clash.answers.items() if k != label})
            is not None
        )


@examples(60)
@given(st.data())
def test_an_explanation_is_enough_and_no_part_of_it_is_needless(data):
    if (found := satisfiable(data.draw(ontologies()))) is None:
        return
    onto, legal = found
    facts = data.draw(facts_of(onto.labels))
    known = entailed(legal, onto.labels, facts)
    label = data.draw(st.sampled_from(onto.labels))
    if known is None or label not in known:
        with pytest.raises(CorollaryError), within():
            onto.explain(facts, label)
        return
    with within():
        why = onto.explain(facts, label)
    assert str(why)
    assert (why.label, why.value) == (label, known[label])
    assert why.answers.items() <= facts.items()
    if label in facts:
        assert why.answers == {label: facts[label]}
        return

    def follows(constraints, answers):
        reached = entailed(worlds(onto.labels, constraints), onto.labels, answers)
        return reached is None or reached.get(label) == why.value

    assert follows(why.constraints, why.answers)
    for k in range(len(why.constraints)):
        assert not follows([*why.constraints[:k], *why.constraints[k + 1 :]], why.answers)
    for answer in why.answers:
        assert not follows(onto.constraints, {k: v for k, v in why.answers.items() if k != answer})


@examples(60)
@given(ontologies(max_labels=7), st.integers(0, 2**32 - 1))
def test_what_is_probable_is_what_the_weighed_worlds_say(drawn, seed):
    if (found := satisfiable(drawn)) is None:
        return
    onto, legal = found
    rng = np.random.default_rng(seed)
    beliefs, facts = mixed_beliefs(rng, 4, len(onto)), some_facts(rng, 4, len(onto))
    expected = [truth(legal, p, known) for p, known in zip(beliefs, facts, strict=True)]
    kept = [i for i, one in enumerate(expected) if one is not None]
    beliefs, facts, expected = beliefs[kept], facts[kept], [expected[i] for i in kept]
    with within():
        inferred = onto.infer(beliefs, facts, gain=True)
        best = onto.most_probable(beliefs, facts)
        closed, _ = onto.closure(facts)
    # Beliefs of 1e-12 on many labels leave 1e-9 of what is computed in floating point.
    for i, one in enumerate(expected):
        np.testing.assert_array_equal(closed[i], one.known)
        np.testing.assert_allclose(inferred.posterior[i], one.posterior, atol=1e-8)
        np.testing.assert_allclose(inferred.joint_entropy[i], one.joint_entropy, atol=1e-6)
        np.testing.assert_allclose(inferred.gain[i], np.maximum(one.gain, 0.0), atol=1e-6)
        (row,) = np.flatnonzero((one.worlds == best[i]).all(axis=1))
        assert one.log_weight[row] >= one.log_weight.max() - 1e-6
    assert (entropy(inferred.posterior) >= inferred.gain - 1e-9).all()


ONTO = co.Ontology.parse("animal > exactly one: bird, fish\nrule: flies >> bird")
SHAPED = np.zeros((2, len(ONTO)))
SAID = c.exclusive("bird", "fish")
ODD = [
    *(None, True, 3, -1.5, float("nan"), 10**400, 1j, "", "bird", b"bird", object(), len, pd.NA, pd.NaT, ..., co),
    *([], [[]], [[[]]], (), {}, set(), {"bird"}, [None], ["bird"], [["bird"]], ["bird", "bird"], [["a"], "b"]),
    *([[1, 0], [1]], [[pd.NA] * 4], [[10**400] * 4], [SAID], SAID, datetime.date(2020, 1, 1)),
    *({"bird": None}, {"bird": pd.NA}, {"bird": np.array([1, 0])}, {"bird": "yes"}, {"bird": 2}, {"bird": [True]}),
    *({"brid": True}, {None: True}, {("bird",): True}, {"bird": True, "fish": True}, {"bird": 1, "flies": np.False_}),
    *(SHAPED, SHAPED - 1, SHAPED + np.nan, SHAPED + np.inf, SHAPED * 1j, SHAPED.astype(str), SHAPED.astype(object)),
    *(SHAPED.astype(np.int8), SHAPED.astype(bool), SHAPED.astype(np.uint64), SHAPED.astype(np.float16), SHAPED[0]),
    *(SHAPED.astype("M8[s]"), SHAPED.T, np.ma.masked_equal(SHAPED, 0), np.empty((0, 4)), np.empty((0, 0))),
    *(np.array(None), pd.DataFrame(SHAPED), pd.DataFrame({"a": [pd.NA]}), pd.DataFrame(SHAPED, dtype="Int8")),
    *(pd.Series([1, None]), c.Exclusive(None), c.Exclusive("ab"), c.Exclusive(["a", "b"]), c.Exclusive(("a", "a"))),
    *(c.Exclusive(()), c.Subsumes("a", "b"), c.Subsumes(None, ("a",)), c.Covers(("a",), ("b",)), c.AtLeastOne((3,))),
    *(c.Formula(None), c.Formula("a"), c.Formula(f.Or(["a"])), f.Name("bird"), f.Name(None), f.Name(["a"])),
    *(f.And(None), f.Or(("a",)), f.Not(3), f.And((f.Name("bird"),))),
]  # fmt: skip
CONSTRAINTS = (
    co.implies,
    co.subsumes,
    co.covers,
    co.exclusive,
    co.exactly_one,
    co.at_least_one,
    co.equivalent,
)
CALLS = {
    "Ontology": co.Ontology,
    "Ontology with constraints": lambda a, b: co.Ontology(["bird", "fish"], [a, b]),
    "constraints of Ontology": lambda a, _: co.Ontology(["bird", "fish"], a),
    "budget": lambda a, _: co.Ontology(["bird"], budget=a),
    "Budget": co.Budget,
    "parse": lambda a, _: co.Ontology.parse(a),
    "load": lambda a, b: co.Ontology.load(a, format=b),
    "load with options": lambda a, b: co.Ontology.load("x.csv", max_bytes=a, delimiter=b),
    "from_digraph": lambda a, _: co.Ontology.from_digraph(a),
    **{make.__name__: make for make in CONSTRAINTS},
    "formula": lambda a, _: co.formula(a),
    "propagate": lambda a, _: ONTO.propagate(a),
    "closure": lambda a, _: ONTO.closure(a),
    "explain": ONTO.explain,
    "explain a label": lambda a, _: ONTO.explain({}, a),
    "posterior": ONTO.posterior,
    "posterior with facts": lambda a, _: ONTO.posterior(SHAPED + 0.5, a),
    "gain": ONTO.gain,
    "joint_entropy": ONTO.joint_entropy,
    "most_probable": ONTO.most_probable,
    "infer": lambda a, b: ONTO.infer(a, b, propagated=True),
    "marginals": ONTO.marginals,
    "marginals of facts": lambda a, _: ONTO.marginals(SHAPED, a, propagated=True),
    "consequences": lambda a, b: ONTO.consequences(a, b, SHAPED.astype(int)),
    "consequences of facts": lambda a, _: ONTO.consequences(SHAPED, SHAPED, a, propagated=True),
    "with_budget": lambda a, _: ONTO.with_budget(a),
    "contains": lambda a, _: a in ONTO,
    "save": lambda a, b: ONTO.save(a, format=b),
    "options": lambda a, b: co.Ontology.load("x.ttl", names=a, language=b),
    "options of a graph": lambda a, _: co.Ontology.from_digraph(networkx.DiGraph(), edges=a),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_each_odd_argument_alone_gets_an_answer_or_an_error_of_ours(name, tmp_path, monkeypatch):
    (tmp_path / "x.ttl").write_text("<a:a> a <http://www.w3.org/2002/07/owl#Class> .")
    (tmp_path / "x.csv").write_text("a,b\n")
    monkeypatch.chdir(tmp_path)
    for odd in ODD:
        call(name, odd, odd)


@examples(300)
@given(st.sampled_from(list(CALLS)), st.sampled_from(ODD), st.sampled_from(ODD))
def test_odd_arguments_get_an_answer_or_an_error_of_ours(tmp_path_factory, name, one, other):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.getbasetemp())
        call(name, one, other)


def call(name: str, one: object, other: object) -> None:
    with within(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            CALLS[name](one, other)
        except CorollaryError as error:
            assert str(error)
