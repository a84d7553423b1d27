"""Labels of which a person can pick one: any two of them exclude each other, or one implies the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines import Facts
from ..engines.tree import AT_MOST_ONE, COVER, EXACTLY_ONE, Groups
from .model import Model
from .structure import Part

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
#: Rows computed at once; few of them show most components to be no choice.
ROWS = 1024
FEW = 64


@dataclass(frozen=True, eq=False)
class Choice:
    """A component whose legal worlds are chains, so that the narrowest label settles all others.

    `labels` are its labels, of equivalent ones the first; `settles` has all of them. `parent` has
    the place in `labels` of the next wider one, -1 for none. `final` marks the labels that can be
    the narrowest. `none` says whether a world without any of them is legal.
    """

    labels: Ints
    settles: Ints
    parent: Ints
    final: Flags
    none: bool

    def narrowest(self, posterior: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """How probable it is that each label is the narrowest that holds, (N, n), from the posterior of all labels."""
        own = np.asarray(posterior[:, self.labels], np.float64)
        left = own.copy()
        below = np.flatnonzero(self.parent >= 0)
        if len(own) < len(below):
            for one, rest in zip(own, left, strict=True):
                np.subtract.at(rest, self.parent[below], one[below])
        else:  # the same, for many rows at once
            for j in below.tolist():
                left[:, self.parent[j]] -= own[:, j]
        return np.where(self.final, left.clip(0.0), 0.0)


def choices(model: Model) -> tuple[Choice, ...]:
    """The components that are choices, of two labels and more."""
    trees = (of_tree(part, groups) for part, groups in model.trees)
    others = (by_trying(model, part) for part in model.beyond_trees)
    found = [one for one in (*trees, *others) if one is not None]
    return tuple(sorted(found, key=lambda one: int(one.labels[0])))


def of_tree(part: Part, groups: dict[int, Groups]) -> Choice | None:
    """The choice that a tree is where all children of a label, and all roots, are one group of which at most one holds.

    `by_trying` finds the same, in time that grows with the square of the labels.
    """
    n = len(part.members)
    single = all(
        len(found) < 2 and all(_at_most_one(*one) for one in found) for found in groups.values()
    )
    if n < 2 or not single:
        return None
    order = sorted(range(n), key=lambda j: part.members[j][0])
    place = {j: at for at, j in enumerate(order)}
    parent = np.full(n, -1, np.int64)
    final = np.ones(n, np.bool_)
    none = True
    for v, found in groups.items():
        for kind, children in found:
            must = kind in (EXACTLY_ONE, COVER)  # one of the children holds
            if v < 0:
                none = not must
                continue
            final[place[v]] = not must
            parent[[place[child] for child in children]] = place[v]
    labels = np.array([part.members[j][0] for j in order], np.int64)
    return Choice(labels, _settled_by(part), parent, final, none)


def _at_most_one(kind: int, children: list[int]) -> bool:
    return kind in (AT_MOST_ONE, EXACTLY_ONE) or len(children) == 1


def _settled_by(part: Part) -> Ints:
    return np.array(sorted(k for members in part.members for k in members), np.int64)


def by_trying(model: Model, part: Part) -> Choice | None:
    """The choice that a component is, found by saying yes to each of its labels; None where it is none."""
    labels = np.array(
        sorted(members[0] for members in part.members if model.base[members[0]] < 0), np.int64
    )
    if len(labels) < 2 or not _may_be(model, labels[:FEW], labels):
        return None
    n = len(labels)
    wider, narrower, open_ = (np.zeros(n, np.int64) for _ in range(3))  # of each label, how many
    for at in range(0, n, ROWS):
        on, unknown = _after_yes(model, labels[at : at + ROWS], labels)
        wider[at : at + ROWS] = on.sum(axis=1) - 1
        narrower += on.sum(axis=0)
        open_[at : at + ROWS] = unknown.sum(axis=1)
    if (open_ != narrower - 1).any():  # what a yes leaves open must all be narrower
        return None
    parent = np.full(n, -1, np.int64)
    final = np.empty(n, np.bool_)
    for at in range(0, n, ROWS):
        on, _ = _after_yes(model, labels[at : at + ROWS], labels)
        nearest = np.where(on & (wider < wider[at : at + ROWS, None]), wider, -1)
        parent[at : at + ROWS] = np.where(nearest.max(axis=1) >= 0, nearest.argmax(axis=1), -1)
        final[at : at + ROWS] = _legal(model, labels, on)
    none = bool(_legal(model, labels, np.zeros((1, n), np.bool_))[0])
    return Choice(labels, _settled_by(part), parent, final, none)


def _may_be(model: Model, some: Ints, labels: Ints) -> bool:
    """Whether, of each of some labels, one that a yes leaves open is narrower: cheap, and mostly enough to say no."""
    _, unknown = _after_yes(model, some, labels)
    rows = np.flatnonzero(unknown.any(axis=1))
    if not len(rows):
        return True
    last = labels.size - 1 - unknown[rows, ::-1].argmax(axis=1)
    on, _ = _after_yes(model, labels[last], some)
    return bool(on[np.arange(len(rows)), rows].all())


def _after_yes(model: Model, asked: Ints, labels: Ints) -> tuple[Flags, Flags]:
    """Which of the labels are on, and which are open, after a yes to each of those asked."""
    rows = np.tile(model.base, (len(asked), 1))
    rows[np.arange(len(asked)), asked] = 1
    known: Facts = model.propagate(rows)[0][:, labels]
    return known == 1, known < 0


def _legal(model: Model, labels: Ints, on: Flags) -> Flags:
    """Which rows can be, if these labels are on and the others of the component are off."""
    rows = np.tile(model.base, (len(on), 1))
    rows[:, labels] = on
    return np.asarray(~model.propagate(rows)[1])
