"""The NELL tasks of the paper, rebuilt from NELL's public knowledge base: real noun phrases, other features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...logic.errors import CorollaryError
from ...logic.language.constraints import Constraint, Source, exclusive, subsumes
from ...logic.language.relations import Said, relation
from ...logic.ontology import Ontology
from .contents import Contents, truth_of
from .tables import read_libsvm, read_lines, read_table

FILES = (
    "rows.parquet",
    "features.libsvm.gz",
    "feature_names.txt.gz",
    "nell13_like_labels.parquet",
    "nell13_like_constraints.txt",
)
SEVEN = ("bird", "fish", "mammal", "city", "country", "lake", "river")
ELEVEN = (*SEVEN, "animal", "location", "artificiallocation", "naturallocation")

REBUILT = "rebuilt from NELL-995: the paper's noun-phrase contexts are not public any more, these features are others"
LEAK = "relation features (r:) excluded: NELL type-checks arguments, so they give the category away"
#: How the names of features that leak begin.
LEAKING = ("r:",)
ALONE = "neighbours (n:), which still tell the relation and its direction, excluded too: words and letters alone"
SUBSUMPTION = (
    subsumes("animal", "bird", "fish", "mammal"),
    subsumes("location", "artificiallocation", "naturallocation"),
    subsumes("artificiallocation", "city", "country"),
    subsumes("naturallocation", "lake", "river"),
)


def ontology(place: Path) -> Ontology:
    """NELL's own constraints on categories, and its relations with domain, range and the relations above them.

    `place` is a folder with categories.txt.gz, subsumption.tsv.gz, mutex_pairs.tsv.gz and relations.tsv.gz. A relation
    without a domain or a range may have any item there.
    """
    labels = [row[0] for row in _rows(place / "categories.txt.gz", 1)]
    said: list[Said] = [
        subsumes(parent, child) for child, parent in _rows(place / "subsumption.tsv.gz", 2)
    ]
    said += [exclusive(one, other) for one, other in _rows(place / "mutex_pairs.tsv.gz", 2)]
    relations = _rows(place / "relations.tsv.gz", 4)
    said += [
        relation(
            name,
            head or "true",
            tail or "true",
            source=Source(str(place / "relations.tsv.gz"), line),
        )
        for line, (name, head, tail, _) in enumerate(relations, start=2)
    ]
    names = {name for name, *_ in relations}
    for name, _, _, parents in relations:
        said += [
            subsumes(parent, name)
            for parent in parents.split(",")
            if parent in names and parent != name
        ]
    return Ontology(labels, said)


def _rows(path: Path, width: int) -> list[list[str]]:
    """The rows below the header of a table whose columns are parted by tabs."""
    found = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        row = line.split("\t")
        if len(row) != width:
            raise CorollaryError(f"{path}, line {number}: {len(row)} columns, expected {width}")
        found.append(row)
    return found


def read_7(place: Path) -> Contents:
    """Seven exclusive categories, on the entities that have one of them."""
    return _read(place, Ontology(SEVEN, [exclusive(*SEVEN)]), ())


def read_11(place: Path, *, leaks: tuple[str, ...] = LEAKING) -> Contents:
    """The task of nell-7 with four more categories above the seven."""
    notes = (
        "the items of nell-7 (in the paper both have one test part); subsumption as we read the paper's text",
    )
    return _read(place, Ontology(ELEVEN, [exclusive(*SEVEN), *SUBSUMPTION]), notes, leaks=leaks)


def read_11_words(place: Path) -> Contents:
    """The same by the words and letters of the phrases alone."""
    contents = read_11(place, leaks=(*LEAKING, "n:"))
    return contents._replace(notes=(*contents.notes, ALONE))


def read_13(place: Path) -> Contents:
    """Thirteen categories, on all entities under animal or location."""
    path = place / "nell13_like_constraints.txt"
    constraints = [
        _constraint(line, path) for line in read_lines(path) if line.strip() and line[0] != "#"
    ]
    frame = read_table(place / "nell13_like_labels.parquet")
    if "row" not in frame:
        raise CorollaryError(f"{place / 'nell13_like_labels.parquet'} has no column 'row'")
    labels = tuple(column for column in frame.columns if column != "row")
    X = _features(place, frame["row"].to_numpy())
    Y = frame[list(labels)].to_numpy(np.int8)
    notes = (REBUILT, LEAK, "constraints conjectured: the paper's figure of them is not available")
    return Contents(X, Y, Ontology(labels, constraints), None, notes)


def _read(
    place: Path, onto: Ontology, notes: tuple[str, ...], *, leaks: tuple[str, ...] = LEAKING
) -> Contents:
    frame = read_table(place / "rows.parquet")
    if lost := {"category", "labels"} - set(frame.columns):
        raise CorollaryError(f"{place / 'rows.parquet'} has no column {lost.pop()!r}")
    chosen = frame["category"].isin(SEVEN).to_numpy()
    X = _features(place, np.flatnonzero(chosen), of=len(frame), leaks=leaks)
    seven = truth_of(frame["category"][chosen], SEVEN, separator="@", file=str(place))
    # Labels above a category follow from the constraints.
    facts = np.full((len(seven), len(onto)), -1, np.int8)
    facts[:, : len(SEVEN)][seven == 1] = 1
    Y = (onto.propagate(facts) == 1).astype(np.int8)
    return Contents(X, Y, onto, None, (REBUILT, LEAK, *notes))


def _features(
    place: Path,
    rows: npt.NDArray[np.integer],
    *,
    of: int | None = None,
    leaks: tuple[str, ...] = LEAKING,
) -> Any:
    """The features of some of the entities (`of` how many), but for those that leak and those that none of them has."""
    path = place / "features.libsvm.gz"

    def choose(ids: list[str]) -> npt.NDArray[np.integer]:
        if ids != [str(i) for i in range(len(ids))]:
            raise CorollaryError(
                f"the rows of {path} must be numbered 0, 1, 2, ...; the file is damaged"
            )
        if len(ids) != (of or len(ids)) or not 0 <= rows.min() <= rows.max() < len(ids):
            raise CorollaryError(
                f"{path} has {len(ids):,} rows, the tables beside it have others; it is damaged"
            )
        return rows

    names = read_lines(place / "feature_names.txt.gz")
    _, X = read_libsvm(path, choose=choose, n_features=len(names))
    fair = np.array([not name.startswith(leaks) for name in names])
    return X[:, fair & (np.bincount(X.indices, minlength=len(names)) > 0)]


def _constraint(line: str, path: Path) -> Constraint:
    """`parent -> child,child` or `!a,b,c` (exclusive)."""
    parent, arrow, children = line.partition("->")
    if arrow:
        return subsumes(parent.strip(), *(child.strip() for child in children.split(",")))
    if line.startswith("!"):
        return exclusive(*(label.strip() for label in line[1:].split(",")))
    raise CorollaryError(f"{path}: expected 'parent -> child,child' or '!a,b,c', got {line!r}")
