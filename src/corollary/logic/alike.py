"""Labels whose names are almost the same, as a slip of the pen makes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from .constraints import Constraint

SHORTEST = 5  # letters of a name; among shorter ones (cat, car) near names are common
SEPARATORS = str.maketrans("", "", " _-")


def alike(labels: Sequence[str], constraints: Iterable[Constraint]) -> list[tuple[str, str]]:
    """Pairs that are spelt the same once a letter is left out of one or of both, in order.

    Case, spaces, hyphens and underscores do not count. Names with digits or other signs are codes, and left alone; so
    are pairs that stand in one constraint together, for whoever wrote it meant both.
    """
    spelt = defaultdict(list)
    for label in labels:
        name = label.casefold().translate(SEPARATORS)
        if len(name) >= SHORTEST and name.isalpha():
            for shorter in {name, *(name[:i] + name[i + 1 :] for i in range(len(name)))}:
                spelt[shorter].append(label)
    pairs = {pair for near in spelt.values() for pair in combinations(near, 2)}
    near = {label for pair in pairs for label in pair}
    mentions = defaultdict(set)
    for number, constraint in enumerate(constraints):
        for label in near.intersection(constraint.labels):
            mentions[label].add(number)
    place = {label: k for k, label in enumerate(labels)}
    apart = [pair for pair in pairs if mentions[pair[0]].isdisjoint(mentions[pair[1]])]
    return sorted(apart, key=lambda pair: (place[pair[0]], place[pair[1]]))
