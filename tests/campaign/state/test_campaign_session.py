"""The session of a campaign: it recalls what it worked out, and spreads between two trainings."""

from __future__ import annotations

import ast
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.settings import Settings
from corollary.campaign.state import campaign_session
from corollary.campaign.state.campaign_session import CampaignSession, Recalling
from corollary.learning.features.neighbours import Nearest
from corollary.learning.session.training import TrainingResult

from .test_beliefs import TREE


@given(
    st.lists(
        st.lists(st.sampled_from((-1, -1, 0, 1)), min_size=8, max_size=8), min_size=1, max_size=5
    )
)
def test_rows_are_recalled_as_they_were_worked_out(rows):
    onto = co.Ontology.parse(TREE)
    facts = np.array(rows, np.int8)
    recalling = Recalling(onto, np.full((2, len(onto)), -1, np.int8), ("i", "j"), propagate=True)
    for _ in range(2):
        for row in facts:
            try:
                expected = onto.propagate(row[None])
            except co.Contradiction:
                with pytest.raises(co.Contradiction):
                    recalling.complete(row[None])
                continue
            found = recalling.complete(np.stack([row, row]))
            np.testing.assert_array_equal(found, np.repeat(expected, 2, axis=0))
            found[:] = 1  # whoever changes what they got changes nothing else


def test_people_are_not_asked_about_like_items_between_two_trainings():
    """Items 2n and 2n + 1 look the same; the first pair is most in doubt."""
    onto = co.Ontology(["bird"])
    beliefs = np.repeat([0.5, 0.4, 0.35], 2)[:, None]
    nothing = np.full((6, 1), -1, np.int8)
    session = CampaignSession(
        onto,
        [f"i{n}" for n in range(6)],
        beliefs,
        Settings(),
        answers=nothing.copy(),
        known=nothing.copy(),
        skipped=np.zeros((6, 2), bool),
        held=np.zeros(6, bool),
    )

    def asked():
        rows = []
        for _ in range(6):
            row, _ = session.best()
            rows.append(row)
            session.hold(f"i{row}")  # someone has it
        for row in rows:
            session.hold(f"i{row}", False)
        return [row // 2 for row in rows]

    assert asked() == [0, 0, 1, 1, 2, 2]  # nothing is known of which are alike
    pairs = Nearest(np.array([[1], [0], [3], [2], [5], [4]]), np.ones((6, 1)))
    for _ in range(2):
        session.train(lambda _: TrainingResult(beliefs, pairs))
        assert session.take_up(wait=True)
        assert asked() == [0, 1, 2, 0, 1, 2]


def test_no_private_name_of_others_is_used():
    tree = ast.parse(inspect.getsource(campaign_session))
    for part in tree.body:
        private = [
            node
            for node in ast.walk(part)
            if isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and not node.attr.startswith("__")
        ]
        own = {f"self.{node.attr}" for node in private if isinstance(node.ctx, ast.Store)}
        own |= {f"self.{node.name}" for node in ast.walk(part) if isinstance(node, ast.FunctionDef)}
        assert {ast.unparse(node) for node in private} <= own
