"""Exact inference on a hierarchy that is no tree, with or without exclusions: a junction tree over legal states.

Its tables hold only the states of their labels that some legal world has.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import Budget, Component, Facts, Floats, Inferred
from .elimination import Dag, Elimination, Ints, eliminate, to_dag
from .rows import over_rows

#: Orders of elimination tried: at most this many, and fewer the larger the hierarchy. Time would be no measure, as
#: rounding depends on the order and runs must repeat.
MOST_TRIES = 32
LABELS_TRIED = 500_000
#: Bytes of tables that all threads together may use, unless one alone needs more.
SCRATCH = 2_000_000_000


class Tree(NamedTuple):
    """The flat arrays that the kernels walk; labels are numbered parents first, bags in the order of elimination."""

    column: Ints  # label -> its column in the arrays of the caller
    order: Ints  # bag -> the label eliminated there
    group: Ints  # bag -> its separator
    row_start: Ints  # bag -> its first row: one for each state of its separator
    kind: npt.NDArray[np.int8]  # row -> 1: the label is off, 2: on, 3: both are legal
    state_start: Ints  # separator -> its first state
    state: Ints  # the legal states of each separator, as bits over its labels, rising
    root: int  # the only state of the empty separator
    branch_start: Ints  # bag -> the separators that hang on it
    branch: Ints
    link_start: Ints  # bag -> for each of its states, an entry in the table of each of its branches
    link: npt.NDArray[np.uint32]
    # How to read P(label and foes off, all parents on) if value is 0, P(label on, all children off) if it is 1:
    value: npt.NDArray[np.int8]
    bag: Ints  # 2 * the bag that holds all of them + the value of its own label
    must: Ints  # bits of its separator that are on
    barred: Ints  # bits of its separator that are off


class Junction:
    """One pass up and one down over the tables, in the log domain where that matters."""

    name = "junction"
    guarantee = "exact"

    def __init__(self, dag: Dag, tree: Tree, size: int):
        self._dag = dag
        self.tree = tree
        self.size = size

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        """See `Engine`."""
        from .kernels.junction import BLOCK

        check_odds(odds)
        posterior = np.where(known > 0, 1.0, 0.0)
        legal_both = np.zeros_like(posterior) if both else None
        log_z = np.empty(len(odds))

        def run(start: int, stop: int) -> None:
            self.fill(odds, known, np.arange(start, stop), posterior, log_z, legal_both)

        # Each thread has tables of its own.
        tables = 8 * BLOCK * (len(self.tree.state) + 2 * len(self.tree.kind))
        over_rows(run, len(odds), at_least=max(BLOCK, len(odds) * tables // SCRATCH))
        return Inferred(posterior, log_z, legal_both, np.zeros(len(odds)))

    def fill(
        self,
        odds: Floats,
        known: Facts,
        rows: Ints,
        posterior: Floats,
        log_z: Floats,
        both: Floats | None,
    ) -> None:
        """Write the unknown cells of the rows, in this thread.

        Columns other than the tree's are not touched.
        """
        from .kernels import junction as junction_kernels

        junction_kernels.infer(
            self.tree, odds, known, rows, posterior, log_z, posterior[:0] if both is None else both
        )

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        """See `Engine`."""
        if not len(self._dag.foe):
            return best_worlds(self._dag, odds, known)
        check_odds(odds)
        worlds = known.copy()

        def run(start: int, stop: int) -> None:
            self.choose(odds, known, np.arange(start, stop), worlds)

        over_rows(run, len(odds), at_least=16)
        return worlds

    def choose(self, odds: Floats, known: Facts, rows: Ints, worlds: Facts) -> None:
        """Write the most probable world of each row; columns other than the tree's are not touched."""
        from .kernels import junction as junction_kernels

        junction_kernels.best_worlds(self.tree, odds, known, rows, worlds)


def compile_junction(component: Component, budget: Budget) -> Junction:
    """The junction tree of a component that has only subsumption and exclusions, or TooLarge."""
    tries = max(2, min(MOST_TRIES, LABELS_TRIED // component.n))
    return compile_dag(to_dag(component), limit=budget.states, seconds=budget.seconds, tries=tries)


def compile_dag(dag: Dag, *, limit: int, seconds: float, tries: int) -> Junction:
    """The junction tree of a hierarchy, or TooLarge."""
    value, cliques = _families(dag)
    found = eliminate(dag, cliques, limit=limit, seconds=seconds, tries=tries)
    return Junction(dag, _tabulate(dag, found, value), found.states)


def check_odds(odds: Floats) -> None:
    """Refuse log-odds that are not finite: those of beliefs of 0 and 1."""
    if not np.isfinite(odds).all():
        raise ValueError("log-odds must be finite: clip beliefs away from 0 and 1 before")


def _families(dag: Dag) -> tuple[npt.NDArray[np.int8], list[list[int]]]:
    """By which neighbours to read `both` for each label (0: parents, 1: children), and those that must share a bag.

    A label shares a bag with a single neighbour anyway. If it has several of both kinds, the fewer are made a clique.
    Its foes go with its parents.
    """
    parents = np.diff(dag.parent_start) + np.diff(dag.foe_start)
    children = np.diff(dag.child_start)
    value = (children < parents) & ((children < 2) | (parents > 1))
    cliques = []
    for k in np.flatnonzero((parents > 1) & (children > 1)):
        if value[k]:
            near = dag.child[dag.child_start[k] : dag.child_start[k + 1]]
        else:
            above = dag.parent[dag.parent_start[k] : dag.parent_start[k + 1]]
            near = np.append(above, dag.foe[dag.foe_start[k] : dag.foe_start[k + 1]])
        cliques.append(near.tolist())
    return value.astype(np.int8), cliques


def _tabulate(dag: Dag, found: Elimination, value: npt.NDArray[np.int8]) -> Tree:
    from .kernels import junction as kernels

    order, start, separator, states, core, above, clash = found
    group, group_start, group_label = _distinct(start, separator)
    state_start = np.empty(len(group_start), np.int64)
    state = np.empty(states, np.int64)
    kernels.list_separators(group_start, group_label, core, above, clash, state_start, state)
    state = state[: state_start[-1]].copy()
    row_start = _running(np.diff(state_start)[group])
    kind = np.empty(row_start[-1], np.int8)
    size = np.empty(dag.n, np.int64)
    kernels.find_kinds(
        dag,
        order,
        start,
        separator,
        core,
        above,
        clash,
        group,
        state_start,
        state,
        row_start,
        kind,
        size,
    )
    step = np.empty(dag.n, np.int64)
    step[order] = np.arange(dag.n)
    # A separator hangs on the bag of the first of its labels to go; the empty one, on none.
    filled = np.flatnonzero(np.diff(group_start))
    owner = np.minimum.reduceat(step[group_label], group_start[filled]) if len(filled) else filled
    branch_start = _running(np.bincount(owner, minlength=dag.n))
    branch = filled[np.argsort(owner, kind="stable")]
    link_start = _running(size * np.diff(branch_start))
    link = np.empty(link_start[-1], np.uint32)
    kernels.link_tables(
        order, start, separator, group, group_start, group_label, state_start, state, row_start, kind,
        branch_start, branch, link_start, link,
    )  # fmt: skip
    bag, must, barred = (np.zeros(dag.n, np.int64) for _ in range(3))
    kernels.find_readings(dag, step, order, start, separator, value, bag, must, barred)
    root = int(state_start[np.flatnonzero(np.diff(group_start) == 0)[0]])
    return Tree(
        dag.column, order, group, row_start, kind, state_start, state, root, branch_start, branch, link_start, link,
        value, bag, must, barred,
    )  # fmt: skip


def _distinct(start: Ints, separator: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the separators that differ; where each starts in the concatenation of their labels."""
    number: dict[bytes, int] = {}
    ends = start.tolist()
    group = [number.setdefault(separator[a:b].tobytes(), len(number)) for a, b in pairwise(ends)]
    label = np.frombuffer(b"".join(number), np.int64)
    return (
        np.array(group, np.int64),
        _running(np.array([len(key) // 8 for key in number], np.int64)),
        label,
    )


def _running(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def best_worlds(dag: Dag, odds: Floats, known: Facts) -> Facts:
    """The most probable legal worlds; of equals (to 1e-11 in log weight) the smallest."""
    from .kernels import cut as cut_kernels

    check_odds(odds)
    worlds = known.copy()

    def run(start: int, stop: int) -> None:
        cut_kernels.best_worlds(dag, odds[start:stop], worlds[start:stop])

    over_rows(run, len(odds), at_least=16)
    return worlds
