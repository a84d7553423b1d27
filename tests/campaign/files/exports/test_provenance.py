"""Where each value comes from: reasons that hold, and names that can be left out."""

from __future__ import annotations

import corollary as co
from corollary.campaign.files.exports.exports import text_of
from corollary.campaign.files.exports.item_lines import lines_of
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


GUESSED = "exactly one: cash, cards\ncash > exactly one: swallowed, charge"


def test_what_follows_from_answers_that_are_only_probable_is_predicted(tmp_path):
    onto = co.Ontology.parse(GUESSED)
    with co.Campaign.create(
        tmp_path / "c.sqlite",
        ["a", "b", "c", "d"],
        onto,
        name="c",
        lead="mara",
        settings={"fallible": True},
    ) as campaign:
        campaign.invite("ann")
        a, b, c, d = campaign.state.ids
        for label in ("cards", "charge"):
            campaign.answer("ann", a, label, False)
        campaign.answer("ann", b, None, ["swallowed"])
        campaign.decide("mara", c, "swallowed", True)
        found = {
            (item.id, cell.label): cell
            for item, _, cells in take_snapshot(campaign).rows(predictions=False)
            for cell in cells
        }
        lines = {
            line.item.id: line.labels
            for line in lines_of(take_snapshot(campaign), predictions=False)
        }
    assert found[a, "swallowed"].source == "predicted"
    assert 0.5 < found[a, "swallowed"].probability < 1
    assert {said.label for said in found[a, "swallowed"].answers} == {"cards", "charge"}
    assert found[a, "swallowed"].reason is not None
    assert found[a, "cards"].source == found[b, "swallowed"].source == "asked"
    assert found[b, "cash"].source == found[b, "charge"].source == "predicted"
    assert {found[c, label].source for label in ("cash", "cards", "charge")} == {"implied"}
    assert {label for item, label in found if item == d and found[item, label].settled} == set()
    assert all(cell.settled for (item, _), cell in found.items() if item != d)
    assert [(one.label, one.origin) for item in (a, b, c) for one in lines[item]] == [
        ("swallowed", "predicted"), ("swallowed", "asked"), ("swallowed", "decided"),
    ]  # fmt: skip


def test_where_answers_are_facts_what_follows_is_implied(tmp_path):
    onto = co.Ontology.parse(GUESSED)
    with co.Campaign.create(tmp_path / "c.sqlite", ["a"], onto, name="c", lead="mara") as campaign:
        campaign.answer("mara", campaign.state.ids[0], "charge", True)
        ((_, _, cells),) = take_snapshot(campaign).rows()
    assert {cell.label: cell.source for cell in cells} == {
        "cash": "implied", "cards": "implied", "swallowed": "implied", "charge": "asked",
    }  # fmt: skip
