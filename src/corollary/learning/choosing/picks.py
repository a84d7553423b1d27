"""Picks: when people are asked which label an item has instead of yes or no, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology

#: When whole items are asked about: if that gains most for its cost, at every question, or at none.
Pick = Literal["auto", "always", "never"]
PICKS: tuple[Pick, ...] = get_args(Pick)
#: What may be asked: yes or no of a label, all labels of an item at once, or either.
Asks = Literal["labels", "items", "both"]
#: A pick takes as long as this number of yes/no questions, unless the time was measured.
PRICE = 3.0
#: Of fewer options it is not worth it: yes or no says as much.
FEWEST = 3


def asks(pick: Pick, item_cost: float | None, onto: Ontology) -> Asks:
    """What may be asked; with a cost of their own, whole items may be."""
    if pick == "always":
        return "items"
    offered = item_cost is not None or (pick == "auto" and offers_picks(onto))
    return "both" if offered else "labels"


def offers_picks(onto: Ontology) -> bool:
    """Whether some labels are such that a person can pick one of them, or none."""
    return any(int(choice.final.sum()) + choice.none >= FEWEST for choice in onto.choices)


def item_price(onto: Ontology, costs: Mapping[str, float], price: float = PRICE) -> float:
    """What it costs to ask for all labels of an item: a pick for each choice, yes or no for each label beside them."""
    chosen = {int(k) for choice in onto.choices for k in choice.labels}
    known = onto.propagate(np.full((1, len(onto)), -1, np.int8))[0] >= 0
    alone = (label for k, label in enumerate(onto.labels) if k not in chosen and not known[k])
    return max(price * len(onto.choices) + sum(costs.get(label, 1.0) for label in alone), 1.0)


def by_narrowness(onto: Ontology, posterior: Floats, known: Facts) -> list[int]:
    """Return the open labels of an item with posterior (K,), the most probable narrowest first."""
    chance = posterior.astype(np.float64, copy=True)
    for choice in onto.choices:
        chance[choice.labels] = choice.narrowest(posterior[None])[0]
    still_open = np.flatnonzero(known < 0)
    order: list[int] = still_open[
        np.lexsort((-posterior[still_open], -chance[still_open]))
    ].tolist()
    return order


def is_one_pick(onto: Ontology, known: Facts) -> bool:
    """Whether the open labels of an item are such that one pick, or none of them, settles them all."""
    still_open = np.flatnonzero(known < 0)
    return any(bool(np.isin(still_open, choice.settles).all()) for choice in onto.choices)


def can_end_there(onto: Ontology, known: Facts) -> npt.NDArray[np.bool_]:
    """Which labels can be the narrowest of an item, (K,), and last (K+1,) whether none of those open may hold.

    Where it takes further labels to tell, all may.
    """
    fine = np.ones(len(onto) + 1, np.bool_)
    for choice in onto.choices:
        if (known[choice.labels] < 0).any():
            fine[choice.labels] &= choice.final
            fine[-1] &= choice.none or bool((known[choice.labels] == 1).any())
    return fine
