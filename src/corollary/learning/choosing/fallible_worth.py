"""The worth of questions if answers may be wrong.

The information of an answer about the truth, and the best person.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
import numpy.typing as npt

from ...logic.compiled.posterior import binary_entropy
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..knowledge import Rows
from ..testimony import Testimony
from .picks import Asks
from .question_worth import with_items
from .strategy import Worth

#: Questions with less information than this, in nats, are not asked.
LEAST = 1e-4


def information(p: Floats, specificity: float, sensitivity: float) -> Floats:
    """Return I(A; Y) in nats.

    The information of an answer A about a label Y that holds with probability p.

    The answer comes from someone with this specificity and sensitivity. If both are 1, it is the
    entropy of p.
    """
    said = p * sensitivity + (1.0 - p) * (1.0 - specificity)
    if_yes, if_no = binary_entropy(np.array([sensitivity, specificity]))
    return np.asarray(np.maximum(binary_entropy(said) - p * if_yes - (1.0 - p) * if_no, 0.0))


def of_a_pick(entropy: Floats, right: float, options: int) -> Floats:
    """Return the information of a pick.

    The entropy, times the share that arrives if all options are equally probable.
    """
    if options < 2:
        return np.zeros_like(entropy)
    wrong = float(binary_entropy(np.array([right]))[0]) + (1.0 - right) * np.log(
        max(options - 1, 1)
    )
    return np.asarray(entropy * max(0.0, 1.0 - wrong / np.log(options)))


def fallible_scores(
    onto: Ontology,
    beliefs: npt.NDArray[np.floating],
    testimony: Testimony,
    *,
    asked: Asks,
    prices: Mapping[Hashable, float],
) -> Worth:
    """Return the information of the answer to each question, given all answers.

    With prices, per price of the best person.
    """

    def scores(rows: Rows, known: Facts) -> Floats:
        found = onto.infer(
            beliefs[rows], known, evidence=testimony.evidence_of(rows), propagated=True
        )
        values = _best(found.posterior, testimony, rows, prices)[0]
        return worth_asking(values, found.joint_entropy, onto, testimony, asked=asked)

    return scores


def worth_asking(
    gains: Floats, entropy: Floats, onto: Ontology, testimony: Testimony, *, asked: Asks
) -> Floats:
    """What answers about labels tell, and about whole items of this entropy, where it is enough to ask for."""
    if asked != "labels":
        options = max((int(choice.final.sum()) + choice.none for choice in onto.choices), default=2)
        entropy = of_a_pick(entropy, testimony.usual[2], options)
    values = with_items(gains, entropy, asked=asked)
    return np.where(values < LEAST, -np.inf, values)


def whom_to_ask(
    p: float, testimony: Testimony, i: int, k: int, prices: Mapping[Hashable, float]
) -> Hashable | None:
    """Return the person with the most information per price about label k of item i.

    None without prices.
    """
    if not prices:
        return None
    column = np.full((1, len(testimony.onto)), p)
    return list(prices)[int(_best(column, testimony, np.array([i]), prices)[1][0, k])]


def _best(
    p: Floats, testimony: Testimony, rows: Rows, prices: Mapping[Hashable, float]
) -> tuple[Floats, Rows]:
    """Return the largest information per price, and whose it is.

    Someone who answered already gives none.
    """
    if not prices:
        specificity, sensitivity, _ = testimony.usual
        return information(p, specificity, sensitivity), np.zeros(p.shape, np.int64)
    each = np.empty((len(prices), *p.shape))
    for n, (name, price) in enumerate(prices.items()):
        witness = testimony.index(name)
        (specificity,), (sensitivity,) = testimony.rates_of(np.array([witness]))
        each[n] = information(p, specificity, sensitivity) / price
        for row, i in enumerate(rows.tolist()):
            for report in testimony.of_item(i):
                if report.who == witness:
                    each[n, row, report.label] = 0.0
    return each.max(axis=0), each.argmax(axis=0)
