"""Sessions about items and pairs: what is asked, what follows, and that a component is weighed again like all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.compiled.posterior import binary_entropy

ONTOLOGY = """\
exclusive: person, place, organisation
relation lives_in(person, place) functional
relation works_for(person, organisation)
relation spouse(person, person) symmetric
exclusive: lives_in, works_for
"""
TEXTS = ["Booth", "Lincoln", "Ford's Theatre", "Washington", "Mary Todd", "Illinois"]
HEAD, TAIL = [0, 0, 1, 2, 4], [1, 2, 3, 3, 5]


@pytest.fixture(scope="module")
def onto():
    return co.Ontology.parse(ONTOLOGY)


def given_session(onto, seed=0, **options):
    """A session with random beliefs."""
    rng = np.random.default_rng(seed)
    pairs = co.Pairs(HEAD, TAIL, beliefs=rng.random((5, 3)), texts=list("abcde"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is left out
        return co.Session(onto, TEXTS, pairs=pairs, beliefs=rng.random((6, 3)), **options)


def truth(onto, seed=0):
    """A random legal labelling of all."""
    rng = np.random.default_rng(seed)
    linked = onto.linked(co.Pairs(HEAD, TAIL))
    beliefs = 0.5 + 0.45 * np.sign(rng.random((6, 3)) - 0.5)
    return linked.most_probable(beliefs, 0.5 + 0.45 * np.sign(rng.random((5, 3)) - 0.5))


def naive_best(session):
    """The best question, from the posterior of everything."""
    worth = []
    for p, known, kind in (
        (session.posterior, session.facts, "item"),
        (session.pairs.posterior, session.pairs.facts, "pair"),
    ):
        entropy = np.where(known >= 0, -np.inf, binary_entropy(p))
        i, k = np.unravel_index(entropy.argmax(), entropy.shape)
        worth.append((entropy[i, k], kind, int(i), int(k)))
    return max(worth, key=lambda one: one[0])


@settings(deadline=None, max_examples=2)
@given(st.integers(0, 1000))
def test_the_best_question_is_that_of_all_cells(seed):
    onto = co.Ontology.parse(ONTOLOGY)
    session = given_session(onto, seed)
    true, related = truth(onto, seed + 1)
    while questions := session.ask():
        question = questions[0]
        best = naive_best(session)
        assert question.score == pytest.approx(best[0], abs=1e-9)
        if question.pair is None:
            value = true[question.item, onto.index[question.label]]
        else:
            j = session.pairs.ids.index(question.pair)
            value = related[j, onto.relations.index(question.label)]
        session.answer(question, bool(value))
        known = session._tied.linked.propagate(session.answers, session.pairs.answers)
        np.testing.assert_array_equal(session.facts, known[0])
        np.testing.assert_array_equal(session.pairs.facts, known[1])
    np.testing.assert_array_equal(session.facts, true)
    np.testing.assert_array_equal(session.pairs.facts, related)
    assert session.open == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_truth_answers_as_people_would(onto, seed):
    true, related = truth(onto, seed)
    one, other = given_session(onto, seed), given_session(onto, seed)
    asked = one.answer_from(true, 8, pairs=related)
    for row, k, value, _ in zip(*asked, strict=True):
        question = other.ask()[0]
        if row < 6:
            assert (question.item, question.label) == (row, onto.labels[k])
        else:
            assert (question.pair, question.label) == (
                other.pairs.ids[row - 6],
                onto.relations[k],
            )
        other.answer(question, bool(value))
    np.testing.assert_array_equal(one.pairs.facts, other.pairs.facts)
    np.testing.assert_array_equal(one.facts, other.facts)
    np.testing.assert_allclose(one.posterior, other.posterior)
    assert one.ask(3) == other.ask(3)


def test_questions_about_pairs_have_their_ends_and_words(onto):
    session = given_session(onto)
    questions = session.ask(12)
    pair = next(question for question in questions if question.pair == (4, 5))
    assert pair.item is None
    assert pair.ends == ("Mary Todd", "Illinois")
    assert pair.text == "e"
    assert str(pair).startswith("“Mary Todd” → “Illinois”: ")
    item = next(question for question in questions if question.pair is None)
    assert item.pair is None
    assert item.text == TEXTS[item.item]


def test_of_several_questions_none_settles_another(onto):
    session = given_session(onto)
    before = session.ask()
    questions = session.ask(20)
    seen = set()
    for question in questions:
        of = (question.item,) if question.pair is None else question.pair
        name = f"{question.label}({', '.join(map(str, of))})"
        assert name not in seen
        seen |= {name, *question.if_yes, *question.if_no}
    assert session.ask() == before


def test_an_answer_settles_both_ends_and_says_why(onto):
    session = given_session(onto)
    settled = session.answer(((0, 2), "works_for"), True)
    assert (settled[0].pair, settled[0].label, settled[0].value) == ((0, 2), "works_for", True)
    ends = {(one.item, one.label) for one in settled if one.value and one.pair is None}
    assert ends == {(0, "person"), (2, "organisation")}
    assert "works for(0, 2) is yes (answered)" in str(settled[1].why)
    with pytest.raises(co.Contradiction, match=r"place\(0\) is yes, works for\(0, 2\) is yes"):
        session.answer((0, "place"), True)
    with pytest.raises(co.Contradiction, match="retract that answer"):
        session.answer(((0, 2), "works_for"), False)
    session.retract(((0, 2), "works_for"))
    assert (session.facts < 0).all()
    assert (session.pairs.facts < 0).all()


def test_only_the_component_of_an_answer_is_weighed_again(onto, monkeypatch):
    session = given_session(onto)
    chooser = session._ready().chooser
    weighed = []
    best_of = chooser.best_of
    monkeypatch.setattr(
        chooser,
        "best_of",
        lambda components, *rest, **more: (
            weighed.append(list(components)) or best_of(components, *rest, **more)
        ),
    )
    session.answer((4, "person"), True)
    assert weighed == [[session._tied.component[4]]]


def test_skipped_held_and_priced_questions(onto):
    session = given_session(onto)
    question = session.ask()[0]
    session.answer(question, None)
    assert question not in session.ask(30)
    session.hold(4)
    assert all(
        one.item not in (4, 5) if one.pair is None else one.pair != (4, 5)
        for one in session.ask(30)
    )
    session.hold(4, False)
    cheap = given_session(onto, asking=co.Asking(costs={"spouse": 0.001}))
    assert cheap.ask()[0].label == "spouse"
    asked = cheap.answer_from(*truth(onto)[:1], 1, pairs=truth(onto)[1])
    assert asked.cost.tolist() == [0.001]
    with pytest.raises(co.CorollaryError, match="costs: unknown label 'spous'"):
        given_session(onto, asking=co.Asking(costs={"spous": 2}))


def test_a_log_rebuilds_the_session(onto, tmp_path):
    session = given_session(onto, item_ids=list("ABCDEF"))
    true, related = truth(onto)
    session.answer_from(true, 4, pairs=related)
    session.answer(session.ask()[0], None)
    session.save(tmp_path / "log.jsonl")
    rng = np.random.default_rng(0)
    pairs = co.Pairs(HEAD, TAIL, beliefs=rng.random((5, 3)))
    options = {"beliefs": rng.random((6, 3)), "item_ids": list("ABCDEF")}
    again = co.Session.load(tmp_path / "log.jsonl", TEXTS, pairs=pairs, **options)
    np.testing.assert_array_equal(again.pairs.facts, session.pairs.facts)
    np.testing.assert_array_equal(again.pairs.posterior, session.pairs.posterior)
    assert again.ask(3) == session.ask(3)
    with pytest.raises(co.CorollaryError, match="session with pairs; pass the same pairs"):
        co.Session.load(tmp_path / "log.jsonl", TEXTS, **options)
    other = co.Pairs(TAIL, HEAD, beliefs=pairs.beliefs)
    with pytest.raises(co.CorollaryError, match="other pairs"):
        co.Session.load(tmp_path / "log.jsonl", TEXTS, pairs=other, **options)


def test_both_learners_learn(onto):
    session = co.Session(
        onto,
        TEXTS,
        pairs=co.Pairs(HEAD, TAIL, texts=["shot", "at", "in", "in", "of"]),
        learner="crf",
    )
    before = session.beliefs, session.pairs.beliefs
    true, related = truth(onto)
    session.answer_from(true, 6, pairs=related)
    session.retrain()
    for one, other in zip(before, (session.beliefs, session.pairs.beliefs), strict=True):
        assert not np.allclose(one, other)
    assert session.predict().shape == (6, 3)
    assert session.pairs.predict().shape == (5, 3)
    assert session.classifier().predict(["Nebraska"]).shape == (1, 3)


def test_facts_of_pairs_are_known_from_the_start(onto):
    facts = np.full((5, 3), -1)
    facts[1, onto.relations.index("works_for")] = 1
    session = co.Session(onto, TEXTS, pairs=co.Pairs(HEAD, TAIL, facts=facts), learner="crf")
    assert session.facts[0].tolist() == [1, 0, 0]
    facts[0, onto.relations.index("spouse")] = 1
    facts[2, onto.relations.index("works_for")] = 1
    labels = np.full((6, 3), -1)
    labels[1, 1] = 1
    with pytest.raises(co.Contradiction, match=r"place\(1\)"):
        co.Session(onto, TEXTS, pairs=co.Pairs(HEAD, TAIL, facts=facts), facts=labels)


def test_a_clash_names_ids_and_changes_nothing(onto):
    session = given_session(onto, item_ids=TEXTS)
    session.answer(("Booth", "place"), True)
    before = session.facts, session.pairs.facts
    with pytest.raises(co.Contradiction) as caught:
        session.answer((("Booth", "Lincoln"), "lives_in"), True)
    assert caught.value.answers == {"place(Booth)": True, "lives_in(Booth, Lincoln)": True}
    for one, other in zip((session.facts, session.pairs.facts), before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_known_relations_may_be_a_dict(onto):
    known = {(0, 1): {"lives_in": True}}
    session = co.Session(
        onto,
        TEXTS,
        pairs=co.Pairs(HEAD, TAIL, facts=known, beliefs=np.full((5, 3), 0.5)),
        beliefs=np.full((6, 3), 0.5),
    )
    assert session.facts[0].tolist() == [1, 0, 0]
    assert session.facts[1].tolist() == [0, 1, 0]


def test_what_is_not_there_yet_is_said(onto):
    for options, message in (
        ({"annotators": co.Annotators(fallible=True)}, "fallible"),
        ({"asking": co.Asking(pick="always")}, "pick"),
        ({"asking": co.Asking(score="contrast")}, "score"),
        ({"asking": co.Asking(item_cost=3)}, "item_cost"),
    ):
        with pytest.raises(co.CorollaryError, match=f"{message}.*cannot do this yet"):
            given_session(onto, **options)
    session = given_session(onto)
    for call in (session.forecast, session.reliability, session.doubtful, session.record):
        with pytest.raises(co.CorollaryError, match="cannot do this yet"):
            call()
    with pytest.raises(co.CorollaryError, match="cannot do this yet"):
        session.retrain(wait=False)
    with pytest.raises(co.CorollaryError, match="cannot do this yet"):
        session.restate(0, {"person": True})


def test_slips_are_named(onto):
    session = given_session(onto)
    for question, message in (
        (((1, 0), "spouse"), r"\(1, 0\) is not one of the 5 pairs"),
        (((0, 1), "person"), "'person' is a label: it is asked of an item"),
        ((0, "spouse"), "'spouse' is a relation: it is asked of a pair"),
        ((0, "persn"), "unknown label or relation 'persn'; did you mean 'person'"),
        ((9, "person"), "no item 9"),
        ("person", "a question is one that was asked"),
    ):
        with pytest.raises(co.CorollaryError, match=message):
            session.answer(question, True)
    with pytest.raises(co.CorollaryError, match="an answer is True, False or None"):
        session.answer((0, "person"), "yes")
    with pytest.raises(co.CorollaryError, match="pass the truth of the relations"):
        session.answer_from(truth(onto)[0], 3)
    with pytest.raises(co.CorollaryError, match="pair 4: its tail is item 5, but there are 5"):
        co.Session(onto, TEXTS[:5], pairs=co.Pairs(HEAD, TAIL))
    beliefs = np.full((5, 3), 0.5)
    beliefs[2, 1] = 7
    with pytest.raises(co.CorollaryError, match="pair 2, relation 'works_for' has 7"):
        co.Session(onto, TEXTS, pairs=co.Pairs(HEAD, TAIL, beliefs=beliefs))
    with pytest.raises(co.CorollaryError, match="'livs_in'.*did you mean 'lives_in'"):
        co.Session(onto, TEXTS, pairs=co.Pairs(HEAD, TAIL, facts={(0, 1): {"livs_in": True}}))
    with pytest.raises(co.CorollaryError, match="texts of Pairs must have a row for each of 1"):
        co.Pairs([0], [1], texts=["a", "b"])
    with pytest.raises(co.CorollaryError, match="the ontology has no relations"):
        co.Session(co.Ontology.parse("exclusive: a, b"), TEXTS, pairs=co.Pairs([0], [1]))
    with pytest.raises(co.CorollaryError, match="pairs must be Pairs"):
        co.Session(onto, TEXTS, pairs=[(0, 1)])


def test_without_pairs_there_are_none():
    session = co.Session(co.Ontology.parse("exclusive: a, b"), TEXTS)
    assert session.pairs is None


def test_random_questions(onto):
    asking = co.Asking(score="random")
    one, other = (given_session(onto, asking=asking, random_state=seed) for seed in (1, 2))
    assert one.ask(5) != other.ask(5)
