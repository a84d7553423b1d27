"""A compiled ontology: what follows from facts, and which engine serves which labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..engines import Budget, Engine, Facts
from ..engines.diagram import Diagram
from ..engines.tree import Groups, NotATree, Tree, child_groups, join
from ..solving.clauses import Clauses
from .completion import Completion
from .structure import Part, analyse


class Unsatisfiable(Exception):
    """No world is legal, whatever the facts."""


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """Which engine serves some labels, how large it is, and how far its answers can be trusted."""

    engine: str
    labels: tuple[str, ...]
    components: int
    size: int
    guarantee: str

    def __str__(self) -> str:
        parts = f" in {self.components:,} components" if self.components > 1 else ""
        return f"{self.engine}: {len(self.labels):,} labels{parts}, size {self.size:,}, {self.guarantee}"


@dataclass(frozen=True)
class Service:
    """An engine and the labels it serves: its variable j stands for the equivalent labels `members[j]`."""

    engine: Engine
    members: tuple[tuple[int, ...], ...]
    n_components: int = 1

    @cached_property
    def columns(self) -> tuple[Ints, Ints, Ints]:
        """The labels, the variable of each, and where the labels stand that are equivalent to no other."""
        sizes = np.array([len(labels) for labels in self.members], np.int64)
        variable = np.repeat(np.arange(len(sizes)), sizes)
        labels = np.array([k for labels in self.members for k in labels], np.int64)
        return labels, variable, np.flatnonzero(sizes[variable] == 1)

    @cached_property
    def first_labels(self) -> int:
        """How many labels there are if the variables are labels 0, 1, 2, ... themselves, in their order; else 0."""
        labels, _, alone = self.columns
        in_order = len(alone) == len(labels) and bool((labels == np.arange(len(labels))).all())
        return len(labels) if in_order else 0


class Model:
    """Everything derived from the clauses of an ontology; compiled when first needed.

    `weights` are those of soft constraints, whose helpers are the last labels: see `soft`.
    """

    def __init__(self, clauses: Clauses, budget: Budget, *, weights: Sequence[float] = ()):
        self.clauses = clauses
        self.budget = budget
        self.weights = np.array(weights, np.float64)
        analysed = analyse(clauses)
        if analysed is None:
            raise Unsatisfiable
        structure, self._implications = analysed
        #: The independent components.
        self.parts = structure.parts
        #: Those that are trees, each with its children in groups, and the others.
        self.trees: list[tuple[Part, dict[int, Groups]]] = []
        self.beyond_trees: list[Part] = []
        for part in structure.parts:
            try:
                self.trees.append((part, child_groups(part.component)))
            except NotATree:
                self.beyond_trees.append(part)
        self._engines: dict[int, Engine] = {}
        #: By place in `beyond_trees`: what completes unit propagation there.
        self._completions = {
            j: Completion(part.component)
            for j, part in enumerate(self.beyond_trees)
            if Completion.needed(part.component)
        }
        known, clash = self.propagate(np.full((1, clauses.n_labels), -1, np.int8))
        if clash[0]:
            raise Unsatisfiable
        #: What holds without any fact.
        self.base = known[0]
        self._implications = self._implications.given_also(self.base)

    def propagate(
        self, facts: Facts, *, complete: bool = True, settled: Facts | None = None
    ) -> tuple[Facts, npt.NDArray[np.bool_]]:
        """Facts and all that follows from them, and which rows contradict themselves.

        Parameters
        ----------
        facts
            The facts (N, K).
        complete
            Without it there is unit propagation only, which may miss something.
        settled
            A complete row (K,) that all rows contain; it saves looking at its consequences again.
        """
        out, clash = self._implications.propagate(facts)
        for j, completion in self._completions.items() if complete else ():
            members = self.beyond_trees[j].members
            first = [labels[0] for labels in members]
            rows = out[:, first]
            found = completion.entailed(rows, None if settled is None else settled[first])
            illegal = found[:, 0] == -2
            found[illegal] = rows[illegal]
            clash |= illegal
            for column, labels in enumerate(members):
                out[:, list(labels)] = found[:, column][:, None]
        return out, clash

    @property
    def pairwise(self) -> bool:
        """Whether all constraints have two literals, so that what an answer entails does not depend on the facts."""
        return not any(Completion.needed(part.component) for part in self.parts)

    @property
    def components_beyond_trees(self) -> int:
        """How many components are not trees."""
        return len(self.beyond_trees)

    @cached_property
    def services(self) -> tuple[Service, ...]:
        """The engines, compiled: one for all trees together, one for each other component."""
        return tuple(self._serve())

    def engines(self, labels: Sequence[str]) -> tuple[EngineInfo, ...]:
        """Return each component's engine, its size, and whether it is exact.

        `labels` are the names.

        Components of nothing but helpers of soft constraints are left out, since helpers have no
        names.
        """
        helpers = sum(
            part.members[0][0] >= len(labels) for part, _ in self.trees if len(part.members) == 1
        )
        found = []
        for service in self.services:
            named = tuple(
                labels[k] for members in service.members for k in members if k < len(labels)
            )
            count = service.n_components - (helpers if isinstance(service.engine, Tree) else 0)
            if named:
                engine = service.engine
                found.append(EngineInfo(engine.name, named, count, engine.size, engine.guarantee))
        return tuple(found)

    def _serve(self) -> Iterator[Service]:
        if self.trees:
            engine = Tree(join((part.component.n, groups) for part, groups in self.trees))
            yield Service(
                engine, sum((part.members for part, _ in self.trees), ()), len(self.trees)
            )
        for j, part in enumerate(self.beyond_trees):
            yield Service(self._engine(j), part.members)

    def _engine(self, j: int) -> Engine:
        if j not in self._engines:
            from ..engines.choice import choose_engine

            engine = choose_engine(self.beyond_trees[j].component, self.budget)
            if isinstance(engine, Diagram) and j in self._completions:
                self._completions[j].diagram = engine
            self._engines[j] = engine
        return self._engines[j]
