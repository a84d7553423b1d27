"""Strategies by their names: margin:items, bald:cells, log:marginals, ..."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from corollary.learning.choosing.scores import ScoreName
from corollary.learning.choosing.strategy import Strategy

from .activeml import NAMES as ACTIVEML
from .activeml import OfActiveml
from .batches import Batch, Batched, Choose, CoreSet, TypiClust, by_badge
from .committee import Bald, by_bald
from .forms import Form, OneCellEach, OnMarginals, Ranking, WholeItems
from .smalltext import NAMES as SMALLTEXT
from .smalltext import OfSmallText
from .uncertain import by_chance, by_entropy, by_margin

RANKINGS: dict[str, Ranking] = {
    "random": by_chance,
    "entropy": by_entropy,
    "margin": by_margin,
    "bald": by_bald,
}
#: Made anew for each run: they remember what they have worked out.
BATCHES: dict[str, Callable[[], Choose]] = {
    "core-set": CoreSet,
    "typiclust": TypiClust,
    "badge": lambda: by_badge,
}
#: The code of others.
THEIRS: dict[str, Callable[[], Choose]] = {
    **{name: partial(OfActiveml, name) for name in ACTIVEML},
    **{name: partial(OfSmallText, name) for name in SMALLTEXT},
}
#: What there is in each form. A cell's margin and entropy order alike: that is `posterior`; a random cell is `random`.
NAMES: dict[str, tuple[str, ...]] = {
    "marginals": ("entropy", "probability", "log", "linear", "expected"),
    "items": (*RANKINGS, *BATCHES, *THEIRS),
    "cells": ("bald", *BATCHES),
}


def make_strategy(name: str, form: Form, *, batch: Batch) -> Strategy:
    """The strategy of a name in a form; `batch` tells those that choose a round at once how large the next one is."""
    if form == "marginals":
        return OnMarginals(cast(ScoreName, name))
    if form == "cells" and name == "bald":
        return Bald()
    ranking: Ranking
    if name in RANKINGS:
        ranking = RANKINGS[name]
    else:
        ranking = Batched({**BATCHES, **THEIRS}[name](), batch)
    as_form: Callable[[Ranking], Strategy] = WholeItems if form == "items" else OneCellEach
    return as_form(ranking)
