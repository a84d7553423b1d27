"""One classifier for all classes: where one narrowest label holds, a fit gives the probability of each."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from ....logic.engines import Facts, Floats
from ....logic.errors import CorollaryError
from ....logic.ontology import Ontology
from ...argument_checks import random_of
from ...features.learner_inputs import check_facts
from .classifiers import PerLabel, cut_params, fit_front, last_step, n_items, rows_of, seeded, take
from .narrowest import NarrowestLabels, find_groups, with_unseen


class AtOnce(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn classifier of many classes, fitted once to each group with one narrowest label.

    The classes are the legal labellings of the group. Those of no known item share a little, see
    `share_of_unseen`. The posterior of the beliefs is the classifier's prediction. The other labels
    get a clone each, as in `PerLabel`. Steps of a pipeline that need no labels are fitted once for
    all.
    """

    def __init__(self, estimator: Any, groups: list[NarrowestLabels], *, random_state: Any = 0):
        self.estimator = estimator
        self.groups = groups
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit a clone to the class of each item, group by group; what has one entry for each item is cut to those."""
        known = check_facts(y, n_items(X))
        random = random_of(self.random_state)
        self._front, estimator, X, place = fit_front(self.estimator, X, known, params, random)
        self.estimators_: list[Any] = []
        self._counts: list[Floats] = []
        rest = np.ones(known.shape[1], np.bool_)
        for group in self.groups:
            rest[group.labels] = False
            rows = np.flatnonzero((known[:, group.labels] >= 0).all(axis=1))
            of_item = group.class_of(known[np.ix_(rows, group.labels)])
            some = cut_params(params, rows, len(known))
            weights = next(
                (value for name, value in some.items() if name.split("__")[-1] == "sample_weight"),
                None,
            )
            self._counts.append(
                np.bincount(of_item, weights, minlength=len(group.worlds)).astype(np.float64)
            )
            seen, classes = np.unique(of_item, return_inverse=True)
            if len(seen) < 2:
                self.estimators_.append(None)
                continue
            fitted = seeded(clone(estimator), int(random.randint(2**31)))
            self.estimators_.append(fitted.fit(take(X, place[rows]), classes, **some))
        self._rest = np.flatnonzero(rest)
        self.of_the_rest_ = None
        if len(self._rest):
            each = PerLabel(estimator, margins=True, random_state=random)
            rows = np.flatnonzero(place >= 0)
            some = cut_params(params, rows, len(known))
            self.of_the_rest_ = each.fit(
                take(X, place[rows]), known[np.ix_(rows, self._rest)], **some
            )
        return self

    def gives_all_classes(self, X: Any) -> bool:
        """Whether the classifier did what its tags say: a probability for every class that it was fitted to."""
        X = (
            rows_of(X)
            if self._front is None
            else self._front.transform(take(rows_of(X), np.arange(1)))
        )
        one = take(X, np.arange(1))
        seen = [int((counts > 0).sum()) for counts in self._counts]
        return all(
            fitted is None or np.shape(fitted.predict_proba(one)) == (1, n)
            for fitted, n in zip(self.estimators_, seen, strict=True)
        )

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        X = X if self._front is None else self._front.transform(X)
        beliefs = np.empty(
            (n_items(X), sum(len(group.labels) for group in self.groups) + len(self._rest))
        )
        for group, fitted, counts in zip(self.groups, self.estimators_, self._counts, strict=True):
            given = (
                np.ones((len(beliefs), 1))
                if fitted is None
                else np.asarray(fitted.predict_proba(X), np.float64)
            )
            beliefs[:, group.labels] = expit(group.scores(with_unseen(given, counts)))
        if self.of_the_rest_ is not None:
            beliefs[:, self._rest] = self.of_the_rest_.predict_proba(X)
        return beliefs


def groups_at_once(estimator: Any, onto: Ontology, known: Facts) -> list[NarrowestLabels]:
    """The groups of labels that a classifier can take at once: each item is known in full of them, or not at all."""
    if not (takes_classes(estimator) and hasattr(estimator, "predict_proba")):
        return []
    return [
        group for group in find_groups(onto) if _in_full_or_not_at_all(known[:, group.open_labels])
    ]


def _in_full_or_not_at_all(known: Facts) -> bool:
    given = (known >= 0).sum(axis=1)
    return bool(((given == 0) | (given == known.shape[1])).all() and given.any())


def takes_classes(estimator: Any) -> bool:
    """Whether a classifier takes more than two classes; weights by class, of no and yes, are for a label alone."""
    last = last_step(estimator)
    if any(
        isinstance(value, dict)
        for name, value in last.get_params().items()
        if name.endswith("class_weight")
    ):
        return False
    if hasattr(last, "__sklearn_tags__"):
        tags = last.__sklearn_tags__().classifier_tags
        return bool(tags and tags.multi_class)
    return not last._get_tags()["binary_only"]  # noqa: SLF001  # before scikit-learn 1.6


class ReadyClasses(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that is fitted already, whose classes are names of labels of which one narrowest holds.

    Labels that it does not know have the belief 0.5 where they are free; where its own exclude them, next to nothing.
    """

    def __init__(self, source: Any, onto: Ontology):
        self.source = source
        self.onto = onto
        columns = [onto.index[name] for name in source.classes_]
        found = [group for group in find_groups(onto) if set(columns) <= set(group.labels.tolist())]
        if not found or not all(k in found[0].world_of for k in columns):
            raise CorollaryError(
                f"the classes of {type(source).__name__} are {len(columns)} labels, but the ontology allows several "
                "of them, or none. Say that they exclude each other (exclusive, exactly one). Or pass a "
                f"function that gives beliefs of all {len(onto)} labels"
            )
        self._group = found[0]
        self._worlds = [found[0].world_of[k] for k in columns]

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        given = np.asarray(self.source.predict_proba(X), np.float64)
        of_worlds = np.zeros((len(given), len(self._group.worlds)))
        of_worlds[:, self._worlds] = given
        beliefs = np.full((len(given), len(self.onto)), 0.5)
        beliefs[:, self._group.labels] = expit(self._group.scores(of_worlds))
        return beliefs


def has_classes_of(source: Any, onto: Ontology) -> bool:
    """Whether a fitted classifier has the names of labels as its classes."""
    classes = getattr(source, "classes_", None)
    return (
        isinstance(classes, np.ndarray)
        and classes.ndim == 1
        and hasattr(source, "predict_proba")
        and all(isinstance(name, str) and name in onto for name in classes.tolist())
    )
