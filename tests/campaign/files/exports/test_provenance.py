"""Where each value comes from: reasons that hold, and names that can be left out."""

from __future__ import annotations

import corollary as co
from corollary.campaign.files.exports.exports import text_of
from corollary.campaign.files.exports.provenance import Reasons, take_snapshot

from .some_answers import ONTO


def test_every_reason_holds_and_none_could_be_left_out(campaign):
    for item, _, cells in take_snapshot(campaign).rows():
        for one in cells:
            if one.source != "implied":
                continue
            answers = {said.label: said.value for said in one.answers}
            rules = "\n".join(("labels: " + ", ".join(ONTO.labels), *one.reason.constraints))
            assert co.Ontology.parse(rules).propagate(answers)[one.label] == one.value, item
            for label in answers:
                fewer = {other: value for other, value in answers.items() if other != label}
                assert one.label not in ONTO.propagate(fewer)


def test_reasons_are_found_once_for_all_items_with_the_same_answers():
    reasons = Reasons(ONTO)
    first = reasons.of("animal", True, {"bird": True})
    assert reasons.of("animal", True, {"place": False, "bird": True}) is first
    other = reasons.of("animal", True, {"fish": True})
    assert other is not first
    assert other.labels == ("fish",)


def test_names_can_be_left_out(campaign):
    text = "".join(text_of(take_snapshot(campaign, names=False), "csv"))
    assert "mara" not in text
    assert "annotator 1; annotator 2" in text
    assert "import" in text
