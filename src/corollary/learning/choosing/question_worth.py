"""What a question is worth: its score, or a whole item's entropy, for its cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology
from ..argument_checks import is_number, shown
from ..knowledge import Rows
from .scores import ScoreName, Surprise, entropy, raw_scores

#: What each question about some rows is worth, (n, K) or, with a last column for the whole item, (n, K+1), given what
#: is known of the rows.
Worth = Callable[[Rows, Facts], Floats]


def price_list(
    onto: Ontology, costs: Mapping[str, float], item_cost: float | None, score: ScoreName | Surprise
) -> Floats:
    """What each question costs, (K+1,): 1 where nothing is said; the last is for the whole item."""
    if item_cost is not None and score != "posterior":
        raise CorollaryError("a whole item is weighed by its entropy: item_cost needs score='posterior'")
    for label in costs:
        if label not in onto:
            raise CorollaryError(f"costs: unknown label {label!r}{nearest(str(label), onto.labels)}")
    prices = [*(costs.get(label, 1.0) for label in onto.labels), 1.0 if item_cost is None else item_cost]
    for price in prices:
        if not is_number(price) or price <= 0:
            raise CorollaryError(f"a question costs something: above 0, got {shown(price)}")
    return np.array(prices, np.float64)


def scores_of(score: ScoreName | Surprise, onto: Ontology, beliefs: Floats, *, propagated: bool, whole: bool) -> Worth:
    """Scores under some beliefs; with `whole` the joint entropy of the item as a last column.

    Where answers do not propagate, what is known may not be complete; what a question is worth depends on what follows.
    """
    plain = score in ("entropy", "probability")

    def scores(rows: Rows, known: Facts) -> Floats:
        complete = known if propagated or plain else onto.propagate(known)
        if not whole:
            return raw_scores(score, beliefs[rows], onto, complete)
        found = onto.infer(beliefs[rows], complete, propagated=True)
        return np.column_stack([entropy(found.posterior), found.joint_entropy])

    return scores


def by_cost(worth: Worth, cost: Floats) -> Worth:
    """The same for what each question costs, (K+1,)."""
    if (cost == 1.0).all():
        return worth

    def per_cost(rows: Rows, known: Facts) -> Floats:
        values = worth(rows, known)
        return np.asarray(values / cost[: values.shape[1]])

    return per_cost
