"""A small made-up data set: a tree of five labels, features that tell them apart fairly well."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import corollary as co
from corollary.experiment.data.datasets import Dataset

TREE = """\
animal > exclusive: bird, fish
exclusive: animal, place
place > city
"""


def made_up(*, n: int = 45, n_train: int = 15, seed: int = 0, noise: float = 0.6) -> Dataset:
    """Items of the five kinds in turn, each with its own corner of feature space."""
    onto = co.Ontology.parse(TREE)
    kinds = [onto.propagate({leaf: True}) for leaf in ("bird", "fish", "city")]
    kinds += [
        onto.propagate(dict.fromkeys(onto.labels, False)),
        onto.propagate({"place": True, "city": False}),
    ]
    worlds = np.array(
        [[kind.get(label, False) for label in onto.labels] for kind in kinds], np.int8
    )
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % len(worlds)
    X = rng.normal(size=(len(worlds), 4))[kind] + noise * rng.normal(size=(n, 4))
    return Dataset(X, worlds[kind], onto, train=np.arange(n) < n_train, name="made-up")


def written_things(folder: Path) -> tuple[Path, Path]:
    """A table of thirty items and its ontology, as files."""
    rng = np.random.default_rng(0)
    lines = ["name,wings,fins,labels"]
    for i in range(30):
        kind = ("animal@bird", "animal@fish", "")[i % 3]
        wings, fins = rng.normal("bird" in kind, 0.4), rng.normal("fish" in kind, 0.4)
        lines.append(f"thing {i},{wings:.3f},{fins:.3f},{kind}")
    table, ontology = folder / "things.csv", folder / "things.onto"
    table.write_text("\n".join(lines), encoding="utf-8")
    ontology.write_text("animal > exclusive: bird, fish\n", encoding="utf-8")
    return table, ontology


def written_conll(folder: Path, *, sentences: int = 24) -> Path:
    """A folder with made-up sentences in the form of CoNLL04: who lives where, and who works for whom."""
    place = folder / "conll04"
    place.mkdir()
    (place / "conll04.onto").write_text(
        "exactly one: person, place, organisation\n"
        "relation Live_In(person, place)\nrelation Work_For(person, organisation)\n"
    )
    kinds = {
        "lives": ("Live_In", "place", "Paris Rome Oslo Bonn"),
        "works": ("Work_For", "organisation", "IBM NASA"),
    }
    lines = []
    for n in range(sentences):
        verb = "lives" if n % 3 else "works"
        relation, kind, names = kinds[verb]
        name = names.split()[n % len(names.split())]
        tokens = [f"Mr.{n}", verb, "in" if verb == "lives" else "for", name, "."]
        mentions = [[0, 1, "person"], [3, 4, kind]]
        lines.append({"tokens": tokens, "mentions": mentions, "relations": [[0, relation, 1]]})
    lines.append({"tokens": ["Rome"], "mentions": [[0, 1, "place"]], "relations": []})
    (place / "sentences.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place
