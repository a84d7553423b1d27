"""scikit-learn's own checks on every estimator; what is expected to fail is listed here with its reason: nothing is."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from corollary import ConsistentClassifier
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.paper.logistic import Logistic
from corollary.learning.learners.pool import Pool

# The checks know no ontology: they pass a y of one dimension, whose classes are labels of which exactly one holds, or a
# matrix of labels that nothing ties together. Members and trees are few, because the checks fit hundreds of times.
# Checks that scikit-learn skips need its array API switched on, or ask for a decision_function.
SMALL = Pool(members=[("linear", CRF()), ("gaussian", CRF(kernel="rbf", landmarks=20))])
ESTIMATORS = [
    CRF(),
    CRF(kernel="rbf", landmarks=20),
    Logistic(),
    Trees(size=10),
    SMALL,
    ConsistentClassifier(SMALL),
    ConsistentClassifier("crf"),
    ConsistentClassifier("logistic"),
    ConsistentClassifier(LogisticRegression()),
    ConsistentClassifier(RandomForestClassifier(5)),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
