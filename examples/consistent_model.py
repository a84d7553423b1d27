"""Make a model you have consistent: its predictions break the rules, those of the same model wrapped never do."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier

import corollary as co

onto = co.Ontology.parse("""
    vehicle > exclusive: car, ship, plane
    animal  > exclusive: dog, bird, fish
    exclusive: vehicle, animal
    rule: flies <-> plane | bird
    rule: swims <-> ship | fish
""")
LEAVES = ["car", "ship", "plane", "dog", "bird", "fish"]

# Things of these six kinds, with noisy features; what else is true of them follows from the rules.
rng = np.random.default_rng(0)
kind = rng.integers(0, len(LEAVES), 800)
X = rng.normal(size=(len(LEAVES), 6))[kind] + rng.normal(size=(len(kind), 6))
truths = [list(onto.propagate({leaf: True}).values()) for leaf in LEAVES]
Y = np.array(truths, np.int8)[kind]
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, random_state=0)


def clashes(predicted: np.ndarray) -> list[co.Contradiction]:
    """What is impossible in each row that the rules do not allow."""
    found = []
    for row in predicted.astype(bool):
        try:
            onto.propagate(dict(zip(onto.labels, row.tolist(), strict=True)))
        except co.Contradiction as clash:
            found.append(clash)
    return found


def report(name: str, predicted: np.ndarray) -> None:
    """Violations, and items of which every label is right."""
    right = (predicted == Y_test).all(axis=1).mean()
    print(
        f"{name:<26} {len(clashes(predicted)):3} of {len(predicted)} break the rules; all right: {right:.0%}"
    )


model = OneVsRestClassifier(LogisticRegression())  # any classifier of scikit-learn, or a pipeline
before = model.fit(X_train, Y_train).predict(X_test)
print(f"The model says, of one thing, what cannot be:\n  {clashes(before)[0]}\n")
report("the model", before)

consistent = co.ConsistentClassifier(OneVsRestClassifier(LogisticRegression()), onto).fit(
    X_train, Y_train
)
report("the same, consistent", consistent.predict(X_test))

# A model that is fitted already needs no second fit: its predict_proba will do.
ready = co.ConsistentClassifier(model.predict_proba, onto).fit(X_train)
report("fitted before, consistent", ready.predict(X_test))

# What is known of an item counts for its other labels: here someone has told of each thing whether it swims.
facts = np.full_like(Y_test, -1)
facts[:, onto.labels.index("swims")] = Y_test[:, onto.labels.index("swims")]
report("... and told what swims", consistent.predict(X_test, facts=facts))
