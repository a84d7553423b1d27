"""What a question is worth: its score, or a whole item's entropy, for its cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology
from ..argument_checks import is_number, shown
from ..knowledge import Rows
from .picks import Asks, item_price
from .scores import ScoreName, SessionScore, Surprise, entropy, raw_scores
from .strategy import Worth


def price_list(
    onto: Ontology, costs: Mapping[str, float], item_cost: float | None, *, asked: Asks
) -> Floats:
    """What each question costs, (K+1,): 1 where nothing is said; the last is for the whole item."""
    for label in costs:
        if label not in onto:
            raise CorollaryError(
                f"costs: unknown label {label!r}{nearest(str(label), onto.labels)}"
            )
    for price in (*costs.values(), *([] if item_cost is None else [item_cost])):
        if not is_number(price) or price <= 0:
            raise CorollaryError(f"a question costs something: above 0, got {shown(price)}")
    if item_cost is None:
        item_cost = 1.0 if asked == "labels" else item_price(onto, costs)
    return np.array([*(costs.get(label, 1.0) for label in onto.labels), item_cost], np.float64)


def cost_of_asked(cost: Floats, asked: Asks) -> Floats:
    """What each question costs, (K+1,), infinite where it is never asked."""
    found = cost.copy()
    if asked != "both":
        found[slice(-1) if asked == "items" else -1] = np.inf
    return found


def check_asks(asked: Asks, score: SessionScore) -> None:
    """An error where whole items cannot be weighed."""
    if asked != "labels" and score != "posterior":
        raise CorollaryError(
            "a whole item is weighed by its entropy: item_cost and pick need score='posterior'"
        )


def scores_of(
    score: ScoreName | Surprise,
    onto: Ontology,
    beliefs: npt.NDArray[np.floating],
    *,
    propagated: bool,
    asked: Asks,
) -> Worth:
    """Return scores under some beliefs.

    If whole items are asked about, their joint entropy as a last column.

    If answers do not propagate, the known labels are completed first.
    """
    plain = score in ("entropy", "probability")

    def scores(rows: Rows, known: Facts) -> Floats:
        complete = known if propagated or plain else onto.propagate(known)
        if asked == "labels":
            return raw_scores(score, np.asarray(beliefs[rows], np.float64), onto, complete)
        found = onto.infer(beliefs[rows], complete, propagated=True)
        of_labels = (
            entropy(found.posterior) if asked == "both" else found.posterior
        )  # these do not count
        return with_items(of_labels, found.joint_entropy, asked=asked)

    return scores


def with_items(of_labels: Floats, of_items: Floats, *, asked: Asks) -> Floats:
    """What questions about labels are worth, those about whole items, or both, these as a last column."""
    if asked == "labels":
        return of_labels
    return np.column_stack(
        [of_labels if asked == "both" else np.full_like(of_labels, -np.inf), of_items]
    )


def by_cost(worth: Worth, cost: Floats) -> Worth:
    """The same for what each question costs, (K+1,)."""
    if (cost == 1.0).all():
        return worth

    def per_cost(rows: Rows, known: Facts) -> Floats:
        values = worth(rows, known)
        return np.asarray(values / cost[: values.shape[1]])

    return per_cost
