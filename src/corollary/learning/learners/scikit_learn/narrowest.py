"""Labels of which one narrowest holds: every legal labelling of them is a class, with a probability to be scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....logic.compiled.choices import Choice
from ....logic.engines import Facts, Floats
from ....logic.ontology import Ontology

Ints = npt.NDArray[np.int64]
#: Probabilities below this are raised to it; smaller ones make no difference to a belief.
LEAST = 1e-9
#: More labels tied together are not looked at: their worlds are n² cells.
MOST = 5_000


@dataclass(frozen=True)
class NarrowestLabels:
    """Labels of an ontology, tied to no others, each two of which exclude each other or stand one above the other.

    Their legal labellings are then the `worlds` (M, n): one narrowest label with those above it, or none at all.
    """

    labels: Ints
    worlds: Facts
    #: The label, a place in `labels`, whose world each is; -1 where none holds.
    narrowest: Ints

    def scores(self, probabilities: Floats) -> Floats:
        """Scores (N, n) of a field in which each world weighs its probability, (N, M).

        A label has the logarithm of how much more probable its own world is than that without it, so that nothing
        counts twice: what labels above it say is in their scores. A label that is never the narrowest has 0.
        """
        logs = np.log(np.maximum(probabilities, LEAST))
        scores = np.zeros((len(logs), len(self.labels)))
        for world in np.argsort(self.worlds.sum(axis=1)):  # from the widest
            k = self.narrowest[world]
            if k >= 0:
                above = np.flatnonzero(self.worlds[world])  # itself among them, which is still 0
                scores[:, k] = logs[:, world] - scores[:, above].sum(axis=1)
            else:
                logs = logs - logs[:, [world]]
        return scores

    def class_of(self, known: Facts) -> Ints:
        """The world of each row (N, n), which must be known in full."""
        place = {world.tobytes(): m for m, world in enumerate(self.worlds)}
        return np.array(
            [place[row.tobytes()] for row in np.ascontiguousarray(known, np.int8)], np.int64
        )

    @cached_property
    def open_labels(self) -> Ints:
        """Those that hold in some worlds and not in others."""
        return np.asarray(self.labels[self.worlds.min(axis=0) != self.worlds.max(axis=0)])

    @cached_property
    def world_of(self) -> dict[int, int]:
        """The world of each label of the ontology that can be the narrowest."""
        return {int(self.labels[k]): m for m, k in enumerate(self.narrowest) if k >= 0}


def share_of_unseen(counts: Floats) -> float:
    """The probability that the next item has a class that none has so far, from the items of each class.

    Half an item for each class that is still to come, all of them together no more than there are classes seen once,
    and one: "none of these" is not held for likely only because nobody has ruled it out.
    """
    unseen = min(0.5 * int((counts == 0).sum()), int((counts == 1).sum()) + 1.0)
    return float(unseen / (counts.sum() + unseen)) if unseen else 0.0


def with_unseen(seen: Floats, counts: Floats) -> Floats:
    """Return probabilities of every class (N, M) from those of seen ones.

    Unseen ones share equally.
    """
    share = share_of_unseen(counts) if counts.any() else 1.0
    found = np.full((len(seen), len(counts)), share / max(1, int((counts == 0).sum())))
    found[:, counts > 0] = seen * (1.0 - share)
    return found


def find_groups(onto: Ontology) -> list[NarrowestLabels]:
    """The parts of an ontology, with no constraint between two of them, in which one narrowest label holds."""
    return [_with_worlds(onto, choice) for choice in onto.choices if len(choice.labels) <= MOST]


def _with_worlds(onto: Ontology, choice: Choice) -> NarrowestLabels:
    """A choice with all its legal labellings: a label that can be the narrowest and those above it, or none."""
    ends = choice.labels[choice.final]
    asked = np.full((len(ends), len(onto)), -1, np.int8)
    asked[np.arange(len(ends)), ends] = 1
    chains = (onto.propagate(asked)[:, choice.settles] == 1).astype(np.int8)
    always = (
        onto.propagate(np.full((1, len(onto)), -1, np.int8))[:, choice.settles] == 1
    )  # what holds of every item
    none = np.repeat(always.astype(np.int8), int(choice.none), axis=0)
    narrowest = np.concatenate([np.full(len(none), -1), np.searchsorted(choice.settles, ends)])
    worlds, order = np.unique(np.vstack([none, chains]), axis=0, return_index=True)
    return NarrowestLabels(choice.settles, worlds, narrowest[order])
