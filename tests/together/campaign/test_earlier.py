"""A campaign that an earlier program made (see earlier.py) is opened, says the same, and goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import corollary as co
from corollary.campaign.files.exports.exports import export

HERE = Path(__file__).parent
#: The log: kind, who, item, label, value, and the event that it refers to.
LOG = [
    ("fact", "import", "stone", "animal", False, None),
    ("answer", "ann", "robin", "robin", True, None),
    ("answer", "ann", "pike", "bird", False, None),
    ("answer", "ben", "pike", "pike", True, None),
    ("answer", "ann", "wren", None, ["bird"], None),
    ("answer", "ben", "carp", "pike", "cant_tell", None),
    ("answer", "ben", "rust", "red", "skip", None),
    ("answer", "ann", "brick", "fish", True, None),
    ("undo", "ann", "brick", "fish", None, 8),
    ("answer", "ann", "brick", "red", True, None),
    ("answer", "ann", "twice", "fish", True, None),
    ("answer", "ben", "twice", "bird", True, None),
    ("doubt", "ben", "twice", "bird", None, 12),
    ("answer", "ann", "carp", "fish", True, None),
    ("answer", "ben", "carp", "fish", False, None),
    ("flag", "ben", "stone", None, None, None),
    ("decision", "mara", "twice", "fish", True, None),
    ("flag", "ann", "rust", "red", None, None),
    ("unflag", "mara", "rust", "red", None, 18),
    ("gold", "mara", "robin", "red", True, None),
    ("withdraw", "mara", "rust", None, None, None),
    ("settings", "mara", None, None, None, None),
    ("ontology", "mara", None, None, 2, None),
    ("model", "system", None, None, 1, None),
    ("answer", "ann", "stone", "grey", True, None),
    ("pause", "mara", None, None, "ben", None),
]
FACTS = {  # of animal, bird, fish, robin, pike, red, grey
    "robin": [1, 1, 0, 1, 0, 1, 0],
    "pike": [1, 0, 1, 0, 1, -1, -1],
    "wren": [1, 1, 0, 0, 0, 0, -1],
    "carp": [-1, -1, -1, -1, -1, -1, -1],
    "stone": [0, 0, 0, 0, 0, 0, 1],
    "brick": [-1, -1, -1, -1, -1, 1, 0],
    "twice": [1, 0, 1, 0, -1, -1, -1],
    "rust": [-1, -1, -1, -1, -1, -1, -1],
}


@pytest.fixture
def campaign(tmp_path):
    shutil.copy(HERE / "earlier.db", tmp_path / "earlier.db")
    with co.Campaign.open(tmp_path / "earlier.db") as campaign:
        yield campaign


def test_the_log_and_what_follows_from_it_are_the_same(campaign):
    log = [
        (one.kind, one.who, one.item, one.label, one.value, one.refers)
        for one in campaign.state.events
    ]
    assert log == LOG
    assert dict(zip(campaign.state.ids, campaign.state.facts.tolist(), strict=True)) == FACTS
    counts = {
        "items": 7,
        "asked": 11,
        "settled": 31,
        "implied": 20,
        "saved": 15,
        "held": 1,
        "decided": 2,
    }
    assert counts.items() <= campaign.state.counts().items()
    assert [(one.item, one.conflict.kind) for one in campaign.conflicts()] == [
        ("carp", "disagreement")
    ]
    assert [(one.item, one.detail["note"]) for one in campaign.marked()] == [
        ("stone", "no animal at all")
    ]
    assert [one.item for one in campaign.withdrawn()] == ["rust"]
    assert (
        campaign.state.settings.by_chance == 0.0
    )  # it drew nothing by chance, and goes on so until a lead wants it
    assert campaign.item("pike").item.text == "ein Hecht – ελληνικά 🐟"


def test_settings_ontologies_people_and_the_model_are_the_same(campaign):
    assert (campaign.name, campaign.about) == ("A campaign of before", "made by an earlier program")
    settings = campaign.settings
    assert (settings.seed, settings.retrain_every, settings.overlap, settings.lease_seconds) == (
        3,
        1000,
        0.25,
        120,
    )
    assert [len(co.Ontology.parse(one.text)) for one in campaign.ontology_versions()] == [6, 7]
    people = {one.name: (one.role, one.state) for one in campaign.annotators()}
    assert people == {
        "ann": ("annotator", "active"),
        "ben": ("annotator", "active"),
        "gone": ("annotator", "revoked"),
        "mara": ("lead", "active"),
        "rita": ("reader", "active"),
    }
    assert campaign.authenticate("the token of ann").name == "ann"
    assert campaign.authenticate("the token of gone") is None
    assert campaign.state.has_model
    assert campaign.progress()["model"] == 1


def test_the_export_is_the_same(campaign, tmp_path):
    export(campaign, tmp_path / "now.csv", format="csv", predictions=False, open_cells=True)
    assert (tmp_path / "now.csv").read_bytes() == (HERE / "earlier.csv").read_bytes()


def test_one_goes_on_answering(campaign):
    again = campaign.answer("ann", "robin", "robin", True, key="of the robin")
    assert again.seq == 2, "what was sent before is not taken twice"
    asked = campaign.next("ann")[0]
    reply = campaign.answer("ann", asked.item.id, asked.label, False, lease=asked.id)
    assert reply.seq == 27
    assert reply.settled[0].label == asked.label
    assert campaign.undo("ann").undone.seq == 27
    assert campaign.next("ben") == []
    campaign.resume("ben", who="mara")
    campaign.decide("mara", "carp", "fish", True)
    assert campaign.conflicts() == []
    assert campaign.state.is_known("carp", "animal")
    campaign.bring_back("rust", who="mara")
    assert campaign.withdrawn() == []
