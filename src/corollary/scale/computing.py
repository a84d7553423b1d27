"""A pool computed: something of each part, the best of all parts, or some rows, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .cluster import Cluster, Progress
from .kept import Kept
from .ranking import Best, Ranked, merged
from .table.parts import Folder, Part, Rows
from .work import Work, best_items, fetch


class Computing:
    """The parts of a pool, and the cluster that computes them."""

    def __init__(self, folder: Folder, cluster: Cluster):
        self.folder = folder
        self.cluster = cluster

    def all(
        self, function: Callable[..., Any], work: Work, *arguments: Any, **how: Any
    ) -> dict[Part, Any]:
        """What comes of each part, in the order of the parts."""
        found: dict[Part, Any] = {}
        self._over(function, work, *arguments, take=found.__setitem__, **how)
        return dict(sorted(found.items(), key=lambda one: one[0].first))

    def merged(
        self, function: Callable[..., Ranked], work: Work, n: int, *arguments: Any, **how: Any
    ) -> Ranked:
        """The best n of what comes of the parts."""
        best = Best(n)
        self._over(function, work, n, *arguments, take=lambda _, found: best.add(found), **how)
        return best.found

    def best(
        self, work: Work, n: int, *, whole: bool, kept: Kept | None, progress: Progress | None
    ) -> Ranked:
        """The n items whose best question is worth most; of parts that are `kept` what was found before."""
        if not n:
            return Best(0).found
        if kept is None:
            return self.merged(best_items, work, n, whole, progress=progress)
        kept.begin(replace=True)
        left, before = self.left(kept, "npz")
        self._over(
            best_items, work, n, whole, parts=left, take=kept.put, progress=progress, before=before
        )
        best = merged((kept.get(part) for part in self.folder.parts), n)
        kept.remove()
        return best

    def left(self, kept: Kept, suffix: str) -> tuple[list[Part], int]:
        """The parts that are still to be done, and how many items the others have."""
        left = [part for part in self.folder.parts if not kept.path(part, suffix).exists()]
        return left, self.folder.rows - sum(part.rows for part in left)

    def rows(self, work: Work, rows: Rows, columns: Sequence[str] | None) -> Any:
        """Some rows of the pool, in ascending order, as a table."""
        import pyarrow as pa

        bounds = {part: np.searchsorted(rows, [part.first, part.end]) for part in self.folder.parts}
        parts = [part for part, (low, high) in bounds.items() if low < high]
        light = replace(
            work, extra=None, model=None, without=()
        )  # what it takes to read, and no more
        found = self.all(
            fetch, light, parts=parts, each=lambda part: (rows[slice(*bounds[part])], columns)
        )
        return pa.concat_tables(found.values()) if found else self.folder.schema.empty_table()

    def _over(self, function: Callable[..., Any], work: Work, *arguments: Any, **how: Any) -> None:
        self.cluster.over(how.pop("parts", self.folder.parts), function, work, *arguments, **how)
