"""The session of a campaign whose people can be wrong: whom it asks what again."""

from __future__ import annotations

import numpy as np
import pytest

from .test_verdicts import answered, beliefs_in, fallible


def cells(state, who, n):
    """The next questions someone would get if nobody answered any of them."""
    found = []
    for _ in range(n):
        best = state.session.best(who=who)
        if best is None:
            break
        found.append((state.ids[best[0]], state.onto.labels[best[1]]))
        state.session.hold(state.ids[best[0]])
    for item, _ in found:
        state.session.hold(item, False)
    return found


def test_nobody_is_asked_what_they_answered_and_others_are():
    state = fallible(beliefs_in(bird=0.5, animal=0.6, fish=0.3))
    first = cells(state, "ann", 1)[0]
    answered(state, "ann", *first, True)
    believed = state.session.beliefs.copy()
    for who in ("ann", "ben"):
        seen = set()
        for _ in range(40):
            best = state.session.best(who=who)
            if best is None:
                break
            item, label = state.ids[best[0]], state.onto.labels[best[1]]
            assert who not in state.standing_of(item).said.opinions.get(label, {})
            assert (item, label) not in seen
            seen.add((item, label))
            answered(state, who, item, label, bool(best[1] % 2))
        assert seen
    np.testing.assert_array_equal(believed, state.session.beliefs)  # only a training changes them


def test_to_pass_someone_by_changes_nothing_for_others():
    state = fallible(beliefs_in(bird=0.5, animal=0.6))
    for item in ("i", "j"):
        answered(state, "ann", item, "bird", True)
    before = state.session.chooser.values.copy()
    state.session.best(who="ann")
    state.session.best(who="ben")
    np.testing.assert_array_equal(before, state.session.chooser.values)


@pytest.mark.parametrize("stay", [None, "label", "item"])
def test_whoever_answered_everything_is_asked_nothing(stay):
    state = fallible(beliefs_in())
    state.session.scoring.stay = stay
    for item in state.ids:
        for label in state.onto.labels:
            answered(state, "ann", item, label, False)
    assert state.session.best(who="ann") is None
    assert cells(state, "ben", 1) == [("i", "animal")]


def test_what_is_probable_weighs_all_that_was_said():
    state = fallible(beliefs_in(bird=0.9, animal=0.95))
    for who, value in (("ann", False), ("ben", True), ("cid", True)):
        answered(state, who, "i", "bird", value)
    rows = np.array([0])
    k = state.onto.index["bird"]
    p = state.session.frozen().probable(rows)[0, k]
    evidence = np.zeros((1, len(state.onto)))
    for report in state.session._testimony.of_item(0):
        evidence[0, report.label] += state.session._testimony.ratios([report])[0]
    expected = state.onto.posterior(
        state.session.beliefs[rows], state.session.sure[rows], evidence=evidence
    )
    assert p == pytest.approx(expected[0, k], abs=1e-12)
    assert p > 0.9
    doubts = {doubt.who: doubt.probability for doubt in state.session.doubts_of(0)}
    assert doubts["ann"] == pytest.approx(p)
    assert state.session.likely_all(rows)[0, k] == 1


def test_how_far_people_are_trusted_is_as_the_log_says():
    state = fallible(beliefs_in(bird=0.9, animal=0.95))
    answered(state, "ann", "i", "bird", True)
    trust = state.session.frozen().reliability()
    assert set(trust) == {"ann"}
    assert trust["ann"].answers == 1
    assert 0.5 < trust["ann"].sensitivity <= 1.0
