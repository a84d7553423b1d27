"""What is said of an item as evidence: what is sure, and what people state by themselves."""

from __future__ import annotations

import numpy as np

from corollary.campaign.state.standing import Opinion, Said
from corollary.campaign.state.weighing import Hearings, doubted_of

from .stories import ONTOLOGIES

ONTO = ONTOLOGIES[1]


def said(*opinions, decided=(), **more):
    by_label = {}
    for one in opinions:
        by_label.setdefault(one.label, {})[one.who] = one
    return Said(by_label, {one.label: one for one in decided}, **more)


def test_what_was_decided_brought_along_or_accepted_is_sure():
    heard = Hearings(ONTO).of(
        said(
            Opinion("import", "fish", False, 1),
            Opinion("mara", "city", False, 2),
            Opinion("ann", "bird", True, 3),
            decided=[Opinion("mara", "animal", True, 4, decided=True)],
            accepted=frozenset({2}),
        )
    )
    assert heard.sure == {"fish": False, "city": False, "animal": True}
    np.testing.assert_array_equal(heard.known, ONTO.propagate(_row(heard.sure))[0])
    assert [(one.who, one.cells, one.options) for one in heard.statements] == [
        ("ann", {ONTO.index["bird"]: True}, 0)
    ]


def _row(answers):
    row = np.full((1, len(ONTO)), -1, np.int8)
    for label, value in answers.items():
        row[0, ONTO.index[label]] = value
    return row


def test_a_reply_about_a_whole_item_states_what_it_names():
    cells = ONTO.propagate({"bird": True})
    whole = [Opinion("ann", label, value, 7) for label, value in cells.items()]
    heard = Hearings(ONTO).of(said(*whole, Opinion("ben", "fish", True, 8), wholes=frozenset({7})))
    first, second = heard.statements
    assert (first.who, first.cells) == ("ann", {ONTO.index["bird"]: True})
    assert first.options > 2
    assert (second.who, second.cells, second.options) == ("ben", {ONTO.index["fish"]: True}, 0)


def test_a_reply_that_a_decision_makes_impossible_still_states_what_it_says():
    cells = ONTO.propagate({"bird": True})
    whole = [Opinion("ann", label, value, 7) for label, value in cells.items()]
    decided = [Opinion("mara", "city", True, 9, decided=True)]
    heard = Hearings(ONTO).of(said(*whole, decided=decided, wholes=frozenset({7})))
    assert heard.sure == {"city": True}
    assert heard.statements[0].cells[ONTO.index["bird"]] is True


def test_doubted_is_what_is_not_as_is_most_probable():
    likely = ONTO.most_probable(np.full((1, len(ONTO)), 0.01))[0]
    opinions = said(
        Opinion("ann", "bird", True, 1),
        Opinion("ben", "bird", False, 2),
        Opinion("import", "fish", True, 3),
    )
    assert doubted_of(opinions, likely, ONTO) == {(1, "bird")}
