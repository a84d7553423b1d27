"""CLINC150: short customer queries, 150 intents in 10 domains, some of them out of scope."""

from __future__ import annotations

from pathlib import Path

from ...logic.errors import CorollaryError
from ...logic.language.constraints import Constraint, exclusive, subsumes
from ...logic.ontology import Ontology
from .contents import Contents, truth_of
from .tables import read_lines, read_table

FILES = ("clinc150.parquet", "hierarchy.tsv")
COLUMNS = ("text", "intent", "domain", "split")
NOTE = "used while this was being developed; of Larson et al. 2019, CC BY 3.0"


def read(place: Path) -> Contents:
    """The data set; its official training rows are those for training and validation. Out of scope: no label holds."""
    table, hierarchy = (place / file for file in FILES)
    frame = read_table(table)
    if lost := set(COLUMNS) - set(frame.columns):
        raise CorollaryError(f"{table} has no column {lost.pop()!r}")
    rows = [line.split("\t") for line in read_lines(hierarchy)]
    if rows[0] != ["child", "parent"] or any(len(row) != 2 for row in rows):
        raise CorollaryError(f"{hierarchy} must have the two columns child and parent")
    onto = ontology([(intent, domain) for intent, domain in rows[1:]])
    joined = (frame["intent"] + "@" + frame["domain"]).tolist()
    Y = truth_of(joined, onto.labels, separator="@", file=str(table))
    official = frame["split"].isin(["train", "val"]).to_numpy()
    return Contents(frame["text"].to_numpy(object), Y, onto, official, (NOTE,))


def ontology(edges: list[tuple[str, str]]) -> Ontology:
    """Intents below their domains; domains, and the intents of one, exclude each other."""
    domains = list(dict.fromkeys(domain for _, domain in edges))
    below = {domain: [intent for intent, of in edges if of == domain] for domain in domains}
    constraints: list[Constraint] = [
        exclusive(*domains),
        *(exclusive(*intents) for intents in below.values()),
    ]
    constraints += [subsumes(domain, *intents) for domain, intents in below.items()]
    return Ontology([*domains, *(intent for intent, _ in edges)], constraints)
