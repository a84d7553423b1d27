"""Notes that name a disease: WordNet's diseases with made-up synonyms, each name written as people write."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np

import corollary as co

from . import rows

NAMES = "wordnet_imagenet/wordnet30_noun_names.tsv.gz"
HYPERNYMS = "wordnet_imagenet/wordnet30_noun_hypernyms.tsv.gz"
DISEASE = "n14070360"
TERMS, NOTES = 536, 200
SYLLABLES = "va no tri lek or mi das phe cu ran bel zo qui tam ser ix".split()
HEADS = "syndrome disease disorder fever deficiency".split()
TEMPLATES = (
    "Lab confirmed {}",
    "History of {} in the family, seen by the heart clinic",
    "Patient presents with {}; blood pressure normal, no pain in the chest",
    "{}, treated with antibiotics for two weeks",
    "Referred for suspected {} after a fall at home",
    "No change since the last visit: {}",
    "Follow-up of {} with weight loss and some headache",
    "Query {}. Skin clear, lungs clear",
    "Admitted at night, {} on examination, kidney function normal",
)


def make(seed: int) -> tuple[co.Ontology, list[str], np.ndarray, dict[str, str]]:
    """The ontology, the notes, their labels (notes x labels), and the names of each label.

    Labels are codes. Names nest: "pneumonia", "primary atypical pneumonia".
    """
    called, narrower = dict(rows(NAMES)), defaultdict(list)
    for child, parent, kind in rows(HYPERNYMS):
        if kind == "hypernym":
            narrower[parent].append(child)
    terms = {DISEASE: None}
    for term in (reached := [DISEASE]):
        new = [child for child in narrower[term] if child not in terms]
        terms |= dict.fromkeys(new)
        reached += new
    terms = dict.fromkeys(list(terms)[:TERMS])
    draw = random.Random(seed)
    names = {term: _names(called[term].replace("_", " "), draw) for term in terms}
    onto = co.Ontology.parse(
        "\n".join(
            f"{term} > {child}" for term in terms for child in narrower[term] if child in terms
        )
    )
    facts = np.full((NOTES, len(onto)), -1, np.int8)
    notes = []
    for note in facts:
        term = draw.choice(list(terms)[1:])
        note[onto.index[term]] = 1
        notes.append(draw.choice(TEMPLATES).format(_written(draw.choice(names[term]), draw)))
    meaning = {term: "; ".join(called) for term, called in names.items()}
    return onto, notes, (onto.propagate(facts) == 1).astype(np.int8), meaning


def _names(name: str, draw: random.Random) -> list[str]:
    """A name, often a made-up synonym, and sometimes a short form."""
    names = [name]
    if draw.random() < 0.6:
        made_up = "".join(draw.choice(SYLLABLES) for _ in range(3))
        names.append(f"{made_up.capitalize()} {draw.choice(HEADS)}")
    if " " in name and draw.random() < 0.3:
        names.append("".join(word[0] for word in name.split()).upper() + str(draw.randrange(1, 9)))
    return names


def _written(name: str, draw: random.Random) -> str:
    """A name in capitals, with hyphens, or in the plural; mostly as it is."""
    how = draw.random()
    if how < 0.2:
        return name.upper()
    if how < 0.4:
        return name.replace(" ", "-")
    return name + "s" if how < 0.6 and name[-1] not in "syh0123456789" else name
