"""The gain of labels that soft constraints mention.

The entropy of a label once all others are known.

Without soft constraints, this is the entropy of its belief wherever both values are legal. A soft
constraint shifts the odds by its weight if the label's value decides whether the constraint is
kept. So each such label has a model of all others in which both its values are legal. The model has
a further label for each condition that decides on a shift. For each combination of conditions, one
call of the engines sums the weight of the worlds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..engines import Budget, Facts, Floats
from ..errors import CorollaryError
from ..language import formula as f
from ..language.constraints import Constraint, Formula, Hard, Soft, hard_ones, soft_ones
from ..language.expressions import expression_of
from .model import Model, Unsatisfiable
from .posterior import Inference, binary_entropy, log_odds, marginals
from .soft import soften

#: A label with more conditions than this is refused: each doubles the work.
MOST_CONDITIONS = 12


@dataclass(frozen=True, slots=True)
class _Others:
    """The labels tied to one label (their columns), what they may be if both its values are legal, and the shifts.

    A shift is a weight and whether the constraint is kept with a yes and with a no: always, never, or where the
    condition of that number holds.
    """

    columns: list[int]
    model: Model | None
    conditions: int
    shifts: list[tuple[float, bool | int, bool | int]]


class SoftGain:
    """Puts the gain right of each label that a soft constraint mentions; compiled label by label."""

    def __init__(self, labels: Sequence[str], constraints: Sequence[Constraint], budget: Budget):
        self._labels = labels
        self._constraints = constraints
        self._budget = budget
        index = {label: k for k, label in enumerate(labels)}
        self._mentioned = sorted(
            {index[label] for one in soft_ones(constraints) for label in one.labels}
        )
        self._component = _components(index, [one.labels for one in constraints])
        self._wholes: dict[int, tuple[list[int], Model]] = {}
        self._others: dict[int, _Others] = {}

    def correct(
        self,
        found: Inference,
        beliefs: npt.NDArray[np.floating],
        known: Facts,
        evidence: Floats | None = None,
    ) -> None:
        """Change the gain of labels with soft constraints, and the error where it is larger here."""
        assert found.gain is not None
        odds = log_odds(beliefs, evidence)
        for k in self._mentioned:
            rows = np.flatnonzero(known[:, k] < 0)
            left, error = self._left_open(k, odds[rows], known[rows])
            found.gain[rows, k] = np.maximum(binary_entropy(found.posterior[rows, k]) - left, 0.0)
            found.error[rows] = np.maximum(found.error[rows], error)  # nan stays nan

    def _left_open(self, k: int, odds: Floats, known: Facts) -> tuple[Floats, Floats]:
        """The entropy of label k once all others are known, for items of which it is not, and the proven error."""
        others = self._others_of(k)
        (columns, whole) = self._whole(int(self._component[k]))
        left = np.zeros(len(odds))
        _, total, error = marginals(whole, odds[:, columns], known[:, columns])
        if others.model is None:
            return left, error
        own = np.hstack([odds[:, others.columns], np.zeros((len(odds), others.conditions))])
        for fall in product((0, 1), repeat=others.conditions):
            rows, facts = _legal(others.model, known[:, others.columns], fall)
            _, weight, further = marginals(others.model, own[rows], facts)
            yes = odds[rows, k] - sum(
                w for w, if_yes, _ in others.shifts if not _kept(if_yes, fall)
            )
            no = -sum(w for w, _, if_no in others.shifts if not _kept(if_no, fall))
            probability = np.exp(weight + np.logaddexp(yes, no) - total[rows])
            left[rows] += probability * binary_entropy(np.exp(yes - np.logaddexp(yes, no)))
            error[rows] = np.maximum(error[rows], further)
        return left, error

    def _whole(self, component: int) -> tuple[list[int], Model]:
        """The labels of a component, and their model."""
        if component not in self._wholes:
            columns: list[int] = np.flatnonzero(self._component == component).tolist()
            names, inside = self._part(columns)
            self._wholes[component] = (
                columns,
                soften(names, hard_ones(inside), soft_ones(inside), self._budget),
            )
        return self._wholes[component]

    def _others_of(self, k: int) -> _Others:
        if k not in self._others:
            label = self._labels[k]
            columns = self._whole(int(self._component[k]))[0]
            _, inside = self._part(columns)
            columns = [j for j in columns if j != k]
            soft = soft_ones(inside)
            conditions: dict[f.Expression, int] = {}
            shifts = [
                (
                    one.weight,
                    _condition(one, label, True, conditions),
                    _condition(one, label, False, conditions),
                )
                for one in soft
                if label in one.labels
            ]
            if len(conditions) > MOST_CONDITIONS:
                raise CorollaryError(
                    f"the gain of {label!r} is too much work: {len(shifts)} soft constraints bear on it, by "
                    f"{len(conditions)} conditions, and {MOST_CONDITIONS} are the most; use the posterior instead"
                )
            names = [
                *(self._labels[j] for j in columns),
                *(f"\ncondition {n}" for n in conditions.values()),
            ]
            says = [
                Formula(f.Iff(f.Name(names[len(columns) + n]), part))
                for part, n in conditions.items()
            ]
            both = [part for one in hard_ones(inside) for part in _with_either(one, label)]
            beside = [one for one in soft if label not in one.labels]
            self._others[k] = _Others(
                columns, self._model(names, [*both, *says], beside), len(conditions), shifts
            )
        return self._others[k]

    def _model(
        self, names: Sequence[str], hard: Sequence[Hard], soft: Sequence[Soft]
    ) -> Model | None:
        try:
            return soften(names, hard, soft, self._budget)
        except Unsatisfiable:  # the value of the label always follows from the others
            return None

    def _part(self, columns: Iterable[int]) -> tuple[list[str], list[Constraint]]:
        """The names of the labels in `columns`, and the constraints on them."""
        names = [self._labels[k] for k in columns]
        inside = set(names)
        return names, [
            one for one in self._constraints if inside.issuperset(one.labels) and one.labels
        ]


def _components(index: Mapping[str, int], scopes: Iterable[Sequence[str]]) -> npt.NDArray[np.int32]:
    """The number of the component of each label: those that constraints tie together, soft ones too."""
    links = [(index[scope[0]], index[other]) for scope in scopes for other in scope[1:]]
    start, end = np.array(links, np.int64).reshape(-1, 2).T
    graph = csr_array((np.ones(len(start), np.int8), (start, end)), shape=(len(index), len(index)))
    return np.asarray(connected_components(graph, directed=False)[1])


def _with_either(one: Hard, label: str) -> Iterator[Hard]:
    """What a constraint says if a label may have either value."""
    if label in one.labels:
        for value in (True, False):
            yield Formula(f.simplify(expression_of(one), {label: value}))
    else:
        yield one


def _condition(
    one: Soft, label: str, value: bool, conditions: dict[f.Expression, int]
) -> bool | int:
    """Whether a constraint is kept if the label has this value, or the number of the condition on which it is."""
    left = f.simplify(expression_of(one.constraint), {label: value})
    return (
        left.value if isinstance(left, f.Constant) else conditions.setdefault(left, len(conditions))
    )


def _kept(condition: bool | int, fall: Sequence[int]) -> bool:
    return condition if isinstance(condition, bool) else bool(fall[condition])


def _legal(model: Model, known: Facts, fall: Sequence[int]) -> tuple[npt.NDArray[np.int64], Facts]:
    """The items that can be so, and what follows for them if the conditions fall like this."""
    fallen = np.tile(np.array(fall, np.int8), (len(known), 1))
    unknown = np.full((len(known), model.weights.size), -1, np.int8)
    facts, clash = model.propagate(np.hstack([known, fallen, unknown]))
    rows = np.flatnonzero(~clash)
    return rows, facts[rows, : known.shape[1] + len(fall)]
