"""The front of a pipeline: which steps are shared by all labels."""

from __future__ import annotations

import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary.learning.learners.scikit_learn.pipelines import split_front

LAST = LogisticRegression()


@pytest.mark.parametrize(
    ("steps", "shared"),
    [
        ([StandardScaler(), LAST], 1),
        (["passthrough", StandardScaler(), LAST], 2),
        ([StandardScaler(), SelectKBest(k=2), LAST], 1),
        ([SelectKBest(k=2), StandardScaler(), LAST], 0),
        ([ColumnTransformer([("best", SelectKBest(k=1), [0, 1])]), LAST], 0),
        ([LAST], 0),
    ],
)
def test_steps_before_the_first_that_needs_labels_are_shared(steps, shared):
    pipeline = make_pipeline(*steps)
    front, rest = split_front(pipeline, {})
    assert (0 if front is None else len(front.steps) - 1) == shared
    assert rest.steps == pipeline.steps[shared:]


def test_what_is_no_pipeline_or_has_parameters_for_the_front_is_left_whole():
    pipeline = make_pipeline(StandardScaler(), LAST)
    assert split_front(LAST, {}) == (None, LAST)
    for params in ({"standardscaler__sample_weight": [1]}, {"sample_weight": [1]}):
        assert split_front(pipeline, params) == (None, pipeline)
    front, _ = split_front(pipeline, {"logisticregression__sample_weight": [1]})
    assert front is not None
