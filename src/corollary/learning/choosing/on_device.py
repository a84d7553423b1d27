"""Scores computed on a device, if they are enough to be worth sending there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..knowledge import Rows
from ..testimony import Testimony
from .fallible_worth import worth_asking
from .picks import Asks
from .question_worth import with_items
from .scores import AnyScore
from .strategy import Worth

if TYPE_CHECKING:
    from ...torch.arrays import Scorer

#: The engines have scored fewer cells than this before a device has got them.
AT_LEAST = 2**16


def scorer_on(onto: Ontology, device: str) -> Scorer | None:
    """What scores on a device; None for the CPU, where the engines do."""
    if device == "cpu":
        return None
    from ...torch.arrays import Scorer

    return Scorer(onto, device)


def posterior_on(scorer: Scorer, onto: Ontology) -> Callable[[Floats, Facts], Floats]:
    """Return a function for the posterior of beliefs and facts, on a device if they are many."""

    def posterior(beliefs: Floats, known: Facts) -> Floats:
        if known.size < AT_LEAST:
            return onto.infer(beliefs, known, propagated=True).posterior
        return scorer.posterior(beliefs, known)

    return posterior


def scores_on(
    scorer: Scorer,
    score: AnyScore,
    onto: Ontology,
    beliefs: npt.NDArray[np.floating],
    *,
    propagated: bool,
    asked: Asks,
    few: Worth,
) -> Worth:
    """`few`, and on a device where many are wanted that take a posterior: what `scores_of` gives, up to rounding."""
    if score not in ("posterior", "gain"):
        return few

    def scores(rows: Rows, known: Facts) -> Floats:
        if known.size < AT_LEAST:
            return few(rows, known)
        complete = known if propagated else onto.propagate(known)
        if score == "gain":
            return scorer.gain(beliefs[rows], complete)
        return with_items(*scorer.information(beliefs[rows], complete), asked=asked)

    return scores


def fallible_scores_on(
    scorer: Scorer,
    onto: Ontology,
    beliefs: npt.NDArray[np.floating],
    testimony: Testimony,
    *,
    asked: Asks,
    few: Worth,
) -> Worth:
    """`few`, and on a device where many are wanted: what `fallible_scores` gives where nobody has a price."""

    def scores(rows: Rows, known: Facts) -> Floats:
        if known.size < AT_LEAST:
            return few(rows, known)
        specificity, sensitivity, _ = testimony.usual
        said = testimony.evidence_of(rows)
        found = scorer.information(
            beliefs[rows], known, said, specificity=specificity, sensitivity=sensitivity
        )
        return worth_asking(*found, onto, testimony, asked=asked)

    return scores
