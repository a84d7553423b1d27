"""What can be picked of an item: its open labels, the likeliest first; of very many only the first are sent at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...learning.choosing.picks import by_narrowness, can_end_there, is_one_pick
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology

#: The labels right above each label.
Parents = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Options:
    """The open labels of an item, the one first that is most probably the narrowest.

    Those in `ends` can be the narrowest, and with `none` it may be that none of them holds. With `one` a single pick
    settles them all. `open` and `pickable` count the open labels and those that can be the narrowest, also where only
    some of them are here.
    """

    labels: tuple[str, ...]
    ends: frozenset[str]
    none: bool
    one: bool
    open: int
    pickable: int

    def narrowest(self) -> list[str]:
        """Those that can be the narrowest, the likeliest first."""
        return [label for label in self.labels if label in self.ends]


def options_of(onto: Ontology, beliefs: Floats, known: Facts) -> Options:
    """The options of an item, of which this is believed and known, both (K,)."""
    likely = onto.posterior(beliefs[None], known[None])[0]
    order = by_narrowness(onto, likely, known)
    ends = can_end_there(onto, known)
    last = frozenset(onto.labels[k] for k in order if ends[k])
    labels = tuple(onto.labels[k] for k in order)
    return Options(labels, last, bool(ends[-1]), is_one_pick(onto, known), len(labels), len(last))


def likeliest(options: Options, most: int | None, parents: Parents) -> Options:
    """Of a pick the likeliest so many, with what is open above them; where several may hold all of them are needed."""
    if most is None or not options.one or options.pickable <= most:
        return options
    first = frozenset(options.narrowest()[:most])
    kept = with_those_above(first, parents)
    return replace(
        options, labels=tuple(label for label in options.labels if label in kept), ends=first
    )


def with_those_above(labels: Iterable[str], parents: Parents) -> set[str]:
    """The labels and all that is above them."""
    found: set[str] = set()
    waiting = list(labels)
    while waiting:
        label = waiting.pop()
        if label not in found:
            found.add(label)
            waiting += parents.get(label, ())
    return found
