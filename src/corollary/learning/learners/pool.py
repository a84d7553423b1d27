"""Several learners of one ontology as one: each weighs as much as it predicts facts that it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.base import BaseEstimator, clone

from ...logic.engines import Facts, Floats
from ...logic.engines.rows import over_jobs
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import check_device, check_flag, check_number, check_whole, random_of
from ..features.encoded import Encoded
from ..features.learner_inputs import learn_features, same_features
from ..features.matrices import Matrix
from ..features.products import one_blas_thread
from ..features.targets import read_target
from .crf import CRF, LARGEST, informative_rows
from .fields import Field
from .forest import Trees
from .meaning import Meaning
from .paper.logistic import Logistic
from .projection import Projection
from .training_time import seconds_of

#: The largest weight of a member: above 1 it sharpens, below 1 it flattens.
HEAVIEST = 3.0
#: The budget is for a machine with this number of cores; estimates are seconds of one core.
CORES = 2
#: Members lighter than this are not worth their time: they weigh 0.
LIGHTEST = 0.05
#: With fewer known items than this, equal weights predict better than any that can be found.
SCARCE = 100
#: The same for each label, where a member works from nothing: those that do not are far behind it at first.
SCARCE_EACH = 10
#: Boosting is worth its time from ITEMS fully known items on and, with a tree for each world, up to
#: WORLDS worlds.
ITEMS = 1000
WORLDS = 30
#: Trees start afresh with every fit: they are fitted again when the items known in full have changed by this share.
CHANGED = 0.02

#: The name of the member that serves where no other is cheap enough.
FALLBACK = "logistic"
#: The name of the member that needs no known item.
FROM_NOTHING = "meaning"

Members = Sequence[tuple[str, Any]]
Rows = npt.NDArray[np.int64]


class PoolWarning(UserWarning):
    """No member of a pool is cheap enough."""


@dataclass(eq=False, repr=False)  # names and defaults of settings are in one place
class Pool(Field, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A log-linear pool of fields over the legal worlds.

    Scores Σ w_m f_m, with weights from 0 to 3.

    The weights minimise the log loss of held-out facts, plus half the squared distance from their
    start. They start equal, but a member that works from nothing (see `Meaning`) starts with all
    the weight. They stay there while fewer than 100 items are known; with such a member, ten for
    each label. `left_out_` lists members that are too slow, with the reason.

    Time is estimated from sizes, for two cores, so that runs repeat exactly. Trees are fitted again
    once the fully known items have changed by 2 %. If no member is fast enough, `Logistic` is used,
    with a `PoolWarning`.

    Parameters
    ----------
    onto
        The labels, and the constraints between them. Without it, y has the labels, see
        `read_target`; `onto_` is the ontology in use.
    members
        Named estimators with fit(X, facts) and decision_function(X), the most useful first; by
        default `default_members`. They need no ontology of their own.
    folds
        The number of parts of the items for held-out facts; an item is always in the same part.
    at_most
        The largest number of items to weigh members on.
    growth
        Weights are found again when the known cells have grown by this factor.
    seconds
        The time to weigh, fit and predict. Members for which it is too short are left out.
    warm_start
        Whether a further fit, on the same items, goes on from the last one.
    device
        With "cuda", PyTorch trains the usual fields on a GPU, with the same result up to rounding.
    """

    onto: Ontology | None = None
    _: KW_ONLY
    members: Members | None = None
    folds: int = 3
    at_most: int = 4000
    growth: float = 1.5
    seconds: float = 40.0
    warm_start: bool = True
    device: str = "cpu"
    random_state: Any = 0

    reads = True
    onto_: Ontology = field(init=False)
    _weighed_at: int = field(init=False)
    _projection: Projection | None = field(init=False)

    @one_blas_thread()
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the known cells of facts y; -1 marks the others."""
        self._check_settings()
        goes_on = self.warm_start and hasattr(self, "members_")
        matrix = same_features(self, X) if goes_on else learn_features(self, X)
        facts, onto, _ = read_target(y, self.onto, matrix.shape[0], who="Pool")
        known = onto.propagate(facts)
        if not goes_on or onto != self.onto_:
            self.onto_ = onto
            self._start(matrix.shape[0])
        if len(self._part) != matrix.shape[0]:
            raise CorollaryError(
                f"this Pool was fitted on {len(self._part):,} items, got {matrix.shape[0]:,}"
            )
        n_known = int((known >= 0).sum())
        if not self.members_ or n_known > self.growth * self._weighed_at:
            tried_on = self._order[self._informative(known)[self._order]][: self.at_most]
            self._choose(matrix, known, tried_on)
            self._weigh(matrix, known, tried_on)
            self._weighed_at = n_known
            self._projection = (
                None if FALLBACK in self.members_ else self._projection or Projection(onto)
            )
        n_resolved = int((known >= 0).all(axis=1).sum())
        due = [name for name in self.members_ if self._is_due(name, n_resolved)]
        over_jobs(
            [partial(self._fit_member, self.members_[name], name, matrix, known) for name in due]
        )
        self._grown_at |= dict.fromkeys(due, n_resolved)
        return self

    def _is_due(self, name: str, n_resolved: int) -> bool:
        """Whether a member that has a weight is to be fitted, with `n_resolved` fully known items."""
        stale = abs(n_resolved - self._grown_at.get(name, -1)) > CHANGED * n_resolved
        return self.weights_[name] > 0 and (stale or not isinstance(self.members_[name], Trees))

    def _check_settings(self) -> None:
        check_flag("warm_start", self.warm_start)
        check_device(self.device)
        check_whole("folds", self.folds, least=2)
        check_whole("at_most", self.at_most, least=1)
        for name in ("growth", "seconds"):
            check_number(name, getattr(self, name))

    @one_blas_thread()
    def decision_function(self, X: Any) -> Floats:
        """The scores of each item and label."""
        matrix = same_features(self, X)
        total = np.zeros((matrix.shape[0], len(self.onto_)))
        for name, member in self.members_.items():
            if self.weights_[name] > 0:
                total += self.weights_[name] * member.decision_function(matrix)
        np.clip(total, -LARGEST, LARGEST, out=total)
        # Beliefs cannot tell scores beyond 27 apart. The fallback's are smaller, and its ontology may be too large.
        return total if self._projection is None else self._projection.bounded(total)

    def _start(self, n_items: int) -> None:
        random = random_of(self.random_state)
        self.members_: dict[str, Any] = {}
        self.weights_: dict[str, float] = {}
        self.left_out_: dict[str, str] = {}
        self._spaces: dict[str, Any] = {}
        self._grown_at: dict[str, int] = {}
        self._part = random.randint(self.folds, size=n_items)
        self._order = random.permutation(n_items)
        self._weighed_at = 0
        self._projection = None

    def _choose(self, matrix: Matrix, known: Facts, tried_on: Rows) -> None:
        """Take the members for which there is time; those that were there before stay as they are."""
        self.left_out_ = {}
        spent = 0.0
        before = self.members_
        self.members_ = {}
        members = self.members or default_members(
            self.onto_, matrix, random_state=self.random_state, device=self.device
        )
        times = (
            self.folds - 1
            if len(members) > 1 and len(tried_on) >= self._enough(dict(members))
            else 0
        )
        some, facts = (matrix[tried_on], known[tried_on]) if times else (matrix, known)
        for name, member in members:
            cost = seconds_of(member, self.onto_, matrix, known) / CORES
            if times:  # each fold leaves out a part, and predicts it
                cost += times * seconds_of(member, self.onto_, some, facts) / CORES
            if isinstance(member, Trees) and (reason := _unfit_for_trees(member, known)):
                self.left_out_[name] = reason
            elif spent + cost > self.seconds:
                left = self.seconds - spent
                self.left_out_[name] = (
                    f"takes about {cost:,.1f} s, {left:,.1f} of {self.seconds:g} s are left"
                )
            else:
                spent += cost
                self.members_[name] = before.get(name) or with_onto(member, self.onto_)
        if not self.members_:
            self._fall_back(before)
        self.weights_ = first_weights(self.members_)

    def _fall_back(self, before: dict[str, Any]) -> None:
        if FALLBACK not in before:
            message = "no member of the pool is cheap enough, one logistic regression for each label serves: "
            reasons = "; ".join(f"{name} {reason}" for name, reason in self.left_out_.items())
            warnings.warn(message + reasons, PoolWarning, stacklevel=4)
        self.members_[FALLBACK] = before.get(FALLBACK) or _Separate(random_state=self.random_state)

    def _fit_member(self, member: Any, name: str, matrix: Matrix, known: Facts) -> Any:
        if not hasattr(member, "make_space"):
            return member.fit(matrix, known)
        return member.fit(matrix, known, space=self._spaces[name])

    def _informative(self, known: Facts) -> npt.NDArray[np.bool_]:
        rows = np.zeros(len(known), np.bool_)
        rows[informative_rows(self.onto_, known)] = True
        return rows

    def _enough(self, members: Collection[str]) -> int:
        """Return the number of known items from which members can be compared."""
        return (
            max(SCARCE, min(self.at_most, SCARCE_EACH * len(self.onto_)))
            if FROM_NOTHING in members
            else SCARCE
        )

    def _weigh(self, matrix: Matrix, known: Facts, chosen: Rows) -> None:
        """Fit every member without each part in turn; then the weights that predict the parts left out best."""
        for name, member in self.members_.items():
            if name not in self._spaces and hasattr(member, "make_space"):
                self._spaces[name] = member.make_space(matrix)
        part = self._part[chosen]
        if (
            len(self.members_) < 2
            or len(chosen) < self._enough(self.members_)
            or min(np.bincount(part, minlength=self.folds)) < 2
        ):
            return  # nothing to choose, or too little to tell them apart
        features = matrix[chosen]
        facts = known[chosen]
        scores = np.empty((len(self.members_), *facts.shape))

        def without(fold: int, m: int, name: str) -> None:
            seen = np.flatnonzero(part != fold)
            left_out = np.flatnonzero(part == fold)
            fitted = self._fit_member(clone(self.members_[name]), name, features[seen], facts[seen])
            scores[m, left_out] = fitted.decision_function(features[left_out])

        over_jobs(
            [
                partial(without, fold, m, name)
                for m, name in enumerate(self.members_)
                for fold in range(self.folds)
            ]
        )
        first = np.array(list(first_weights(self.members_).values()))
        weights = best_weights(self.onto_, scores, facts, first)
        heavy = np.flatnonzero(weights >= LIGHTEST)
        if 0 < len(heavy) < len(weights):
            weights = np.zeros(len(weights))
            kept = first_weights([list(self.members_)[m] for m in heavy])
            weights[heavy] = best_weights(
                self.onto_, scores[heavy], facts, np.array(list(kept.values()))
            )
        self.weights_ = dict(zip(self.members_, weights.tolist(), strict=True))


def can_read(learner: Any) -> bool:
    """Whether a learner makes use of what items and labels say: `Meaning`, and a pool with the usual members."""
    return isinstance(learner, Meaning) or (isinstance(learner, Pool) and learner.members is None)


def with_onto(learner: Any, onto: Ontology) -> Any:
    """A clone of a learner; one that fits the logic gets the ontology where it has none of its own."""
    if "onto" not in learner.get_params(deep=False):
        return clone(learner)
    if learner.onto is not None and learner.onto != onto:
        raise CorollaryError(
            f"the learner {learner!r} has another ontology than what it is part of, {onto!r}"
        )
    return clone(learner).set_params(onto=onto)


class _Separate(Logistic):
    """The paper's learner as a member: its log-odds are the scores."""

    def decision_function(self, X: Any) -> Floats:
        return np.asarray(logit(np.clip(self.predict_proba(X), 1e-12, 1 - 1e-12)))


def default_members(
    onto: Ontology, X: Any, *, random_state: Any = 0, device: str = "cpu"
) -> Members:
    """The members of a pool for items that were read, for sparse or for dense features, the most useful first."""
    state = random_state
    field_of = partial(CRF, onto, device=device, random_state=state)
    if isinstance(X, Encoded):
        return [
            (FROM_NOTHING, Meaning(onto)),
            ("linear", field_of(l2=0.1)),
            ("gaussian", field_of(kernel="rbf", gamma=0.5, l2=0.03)),
        ]
    if sparse.issparse(X):
        return [
            ("latent", field_of(kernel="latent", l2=0.1)),
            ("gaussian", field_of(kernel="rbf", gamma=1.0, l2=0.1)),
        ]
    return [
        ("linear", field_of(l2=0.1)),
        ("gaussian", field_of(kernel="rbf", gamma=2.0, l2=0.03)),
        ("forest", Trees(onto, kind="forest", size=150, random_state=state)),
        ("wide gaussian", field_of(kernel="rbf", gamma=0.5, l2=0.03)),
        ("narrow gaussian", field_of(kernel="rbf", gamma=8.0, l2=0.03)),
        ("boosting", Trees(onto, kind="boosting", size=100, random_state=state)),
    ]


def first_weights(members: Collection[str]) -> dict[str, float]:
    """The weights of members before they were tried: equal, or all on the one that works from nothing."""
    if FROM_NOTHING in members:
        return {name: float(name == FROM_NOTHING) for name in members}
    return dict.fromkeys(members, 1.0 / len(members))


def best_weights(
    onto: Ontology, scores: Floats, known: Facts, first: Floats | None = None
) -> Floats:
    """Weights of members with scores (members, N, K) that minimise the log loss of the facts, pulled to the first.

    The first are equal, unless given.
    """
    first = np.full(len(scores), 1.0 / len(scores)) if first is None else first

    def loss(weights: Floats) -> tuple[float, Floats]:
        total = np.clip(np.tensordot(weights, scores, axes=1), -LARGEST, LARGEST)
        free, log_z = onto.marginals(total)
        with_facts, log_facts = onto.marginals(total, known, propagated=True)
        slope = np.tensordot(scores, free - with_facts, axes=([1, 2], [0, 1]))
        away = weights - first
        return float((log_z - log_facts).sum() + 0.5 * (away**2).sum()), slope + away

    found = minimize(
        loss, first, jac=True, method="L-BFGS-B", bounds=[(0.0, HEAVIEST)] * len(scores)
    )
    return np.asarray(found.x)


def _unfit_for_trees(member: Trees, known: Facts) -> str | None:
    resolved = known[(known >= 0).all(axis=1)]
    if not len(resolved):
        return "no item is known in full"
    if member.kind == "forest":
        return None
    if len(resolved) < ITEMS:
        return f"{len(resolved)} items are known in full, fewer than {ITEMS}"
    worlds = len(np.unique(resolved, axis=0))
    return f"{worlds} labellings seen, more than {WORLDS}" if worlds > WORLDS else None
