"""A campaign with something of every kind in it: run with the code of 97dfcf3 this made earlier.db.

PYTHONPATH=src python tests/together/campaign/earlier.py earlier.db; earlier.csv is the export of that code, without
predictions.
"""

from __future__ import annotations

import secrets
import sys

import corollary as co

ONTOLOGY = """labels: animal, bird, fish, robin, pike, red
animal > exclusive: bird, fish
bird > robin
fish > pike
"""
ITEMS = [
    {"id": "robin", "text": "a small bird with a red breast", "weight": 0.02},
    {"id": "pike", "text": "ein Hecht – ελληνικά 🐟", "weight": 4.0},
    {"id": "wren", "text": "a very small brown bird", "weight": 0.01},
    {"id": "carp", "text": "a fish of slow waters", "weight": 9.0},
    {"id": "stone", "text": "a grey stone", "weight": 1.0},
    {"id": "brick", "text": "a red brick", "weight": 3.5},
    {"id": "twice", "text": "a fish, seen twice", "weight": 1.0},
    {"id": "rust", "text": "red rust", "weight": 0.1},
]


def make(path):
    campaign = co.Campaign.create(
        path,
        ITEMS,
        co.Ontology.parse(ONTOLOGY),
        name="A campaign of before",
        about="made by an earlier program",
        settings={"seed": 3, "retrain_every": 1000},
        lead="mara",
        facts=[("stone", "animal", False)],
    )
    with campaign:
        for name, role in (
            ("ann", "annotator"),
            ("ben", "annotator"),
            ("rita", "reader"),
            ("gone", "annotator"),
        ):
            secrets.token_urlsafe = lambda _, name=name: f"the token of {name}"
            campaign.invite(name, role)
        campaign.revoke("gone")
        say(campaign)
        lead(campaign)


def say(campaign):
    campaign.answer("ann", "robin", "robin", True, key="of the robin", seconds=2.5)
    campaign.answer("ann", "pike", "bird", False)
    campaign.answer("ben", "pike", "pike", True)
    campaign.answer("ann", "wren", None, ["bird"])
    campaign.answer("ben", "carp", "pike", "cant_tell")
    campaign.answer("ben", "rust", "red", "skip")
    campaign.answer("ann", "brick", "fish", True)
    campaign.undo("ann")
    campaign.answer("ann", "brick", "red", True)
    campaign.answer("ann", "twice", "fish", True)
    clash = campaign.answer("ben", "twice", "bird", True)
    campaign.doubt("ben", clash.seq, rules=["exclusive: bird, fish"], note="a bird to me")
    campaign.answer("ann", "carp", "fish", True)
    campaign.answer("ben", "carp", "fish", False)
    campaign.flag("ben", "stone", reason="other", note="no animal at all")


def lead(campaign):
    campaign.decide("mara", "twice", "fish", True, reject=[12], note="I looked")
    flag = campaign.flag("ann", "rust", "red", reason="text", note="cut off")
    campaign.unflag("mara", flag.seq)
    campaign.gold("mara", "robin", "red", True)
    campaign.withdraw("rust", who="mara", reason="no picture")
    campaign.change_settings("mara", {"overlap": 0.25, "lease_seconds": 120})
    campaign.change_ontology(
        "mara", ONTOLOGY.replace("red\n", "red, grey\n") + "exclusive: red, grey\n"
    )
    campaign.retrain(wait=True)
    campaign.answer("ann", "stone", "grey", True)
    campaign.pause("ben", who="mara")


if __name__ == "__main__":
    make(sys.argv[1])
