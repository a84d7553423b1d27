"""Where one label holds for each item, progress is told in items; elsewhere in labels of items."""

from __future__ import annotations

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.progress.progress import Figures
from corollary.campaign.state.state import State
from corollary.cli.label.status import in_lines

BANK = co.Ontology.parse(
    "exactly one: cash, cards\ncash > exactly one: swallowed, charge\ncards > exactly one: lost, stolen"
)


def bank(tmp_path, n=10, onto=BANK, **settings):
    items = [{"id": f"i{k}", "text": f"text {k % 3}"} for k in range(n)]
    options = {"pick": "always", "retrain_every": 10**6, "overlap": 0.0} | settings
    return Campaign.create(tmp_path / "c.sqlite", items, onto, name="bank", settings=options, lead="mara")


def test_a_pick_labels_an_item_and_saves_no_question(tmp_path):
    with bank(tmp_path) as campaign:
        campaign.answer("mara", "i0", None, ["lost"])
        told = campaign.progress()
        assert (told["one"], told["done"], told["items"], told["asked"]) == (True, 1, 10, 1)
        assert (told["settled"], told["saved"], told["saved_today"], told["unasked"]) == (6, 0, 0, 0)
        curve = Figures(campaign).get()["curve"]
        assert (curve["asked"], curve["done"]) == ([0, 1], [0, 1])
        assert (
            campaign.state.counts()
            == State(campaign.state.ids, campaign.state.ontologies, campaign.state.events).counts()
        )


def test_items_that_were_accepted_are_saved_where_nobody_was_asked_about_them(tmp_path):
    with bank(tmp_path, pick="auto") as campaign:
        campaign.answer("mara", "i0", None, ["lost"])
        campaign.answer("mara", "i1", "cash", True)
        for item in ("i1", "i2"):
            accept(campaign, item, {"swallowed": True})
        told = campaign.progress()
        assert (told["done"], told["unasked"], told["saved"], told["saved_today"]) == (3, 1, 1, 1)


def accept(campaign, item, value):
    """As a lead accepts what is sure, without the audit."""
    from corollary.campaign.events import ACCEPT, Event

    detail = {"audit": 1, "probability": dict.fromkeys(value, 0.99)}
    event = Event(kind=ACCEPT, who="mara", item=item, value=value, detail=detail, key=f"accept {item}")
    with campaign.lock:
        campaign._live.ledger.commit(event) if hasattr(
            campaign._live.ledger, "commit"
        ) else campaign._live.ledger.record(event)


def test_labels_that_hold_together_keep_counting_labels_of_items(tmp_path):
    with bank(tmp_path, onto=co.Ontology.parse("a > b\na > c")) as campaign:
        campaign.answer("mara", "i0", "b", True)
        told = campaign.progress()
        assert (told["one"], told["settled"], told["saved"]) == (False, 2, 1)
        lines = in_lines(told)
        assert lines[1].startswith("2 of 30 labels of items settled")
