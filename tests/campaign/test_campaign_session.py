"""The session of a campaign is made of the parts of a session, and uses of them what is meant for it."""

from __future__ import annotations

import ast
import inspect

from corollary.campaign.state import campaign_session


def test_no_private_name_of_others_is_used():
    tree = ast.parse(inspect.getsource(campaign_session))
    for part in tree.body:
        private = [
            node
            for node in ast.walk(part)
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        ]
        own = {f"self.{node.attr}" for node in private if isinstance(node.ctx, ast.Store)}
        own |= {f"self.{node.name}" for node in ast.walk(part) if isinstance(node, ast.FunctionDef)}
        assert {ast.unparse(node) for node in private} <= own


def test_it_inherits_nothing_that_it_would_have_to_know_from_within():
    assert campaign_session.CampaignSession.__mro__[1:] == (object,)
