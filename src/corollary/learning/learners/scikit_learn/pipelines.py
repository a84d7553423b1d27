"""The front of a pipeline, which turns items into features and looks at no label: fitted once for all labels."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, VarianceThreshold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer


def split_front(estimator: Any, params: Mapping[str, Any]) -> tuple[Any | None, Any]:
    """A pipeline in two: the steps before the first that needs to know the labels, and the rest with the classifier.

    The first is None where there is nothing to share: no pipeline, a front that learns from labels, or `params` of fit
    that are not plainly for steps of the rest.
    """
    if not isinstance(estimator, Pipeline):
        return None, estimator
    steps = estimator.steps
    shared = 0
    while shared < len(steps) - 1 and not _needs_labels(steps[shared][1]):
        shared += 1
    later = {name for name, _ in steps[shared:]}
    if not shared or not all("__" in name and name.split("__")[0] in later for name in params):
        return None, estimator
    as_it_is = (
        "as it is",
        FunctionTransformer(),
    )  # pipelines ask their last step whether it is fitted; not all know
    front = Pipeline([*steps[:shared], as_it_is], memory=estimator.memory)
    return front, Pipeline(steps[shared:], memory=estimator.memory)


def _needs_labels(step: Any) -> bool:
    """Whether a step, or a part of it, learns from y: its tags say so, its fit asks for it, or it selects features."""
    parts = [step, *(step.get_params().values() if isinstance(step, BaseEstimator) else ())]
    return any(_learns_from_y(part) for part in parts if hasattr(part, "fit"))


def _learns_from_y(estimator: Any) -> bool:
    y = signature(estimator.fit).parameters.get("y")
    selects = isinstance(estimator, SelectorMixin) and not isinstance(estimator, VarianceThreshold)
    return selects or (y is not None and y.default is y.empty) or _requires_y(estimator)


def _requires_y(estimator: Any) -> bool:
    if hasattr(estimator, "__sklearn_tags__"):
        return bool(estimator.__sklearn_tags__().target_tags.required)
    return hasattr(estimator, "_get_tags") and bool(estimator._get_tags()["requires_y"])  # noqa: SLF001  # before 1.6
