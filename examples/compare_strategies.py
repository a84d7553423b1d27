"""Compare ways to choose questions on data whose truth is known: curves, questions to a target, and a figure.

Needs matplotlib: pip install 'corollary[plots]'. It writes strategies.png into the folder where it runs.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_digits

import corollary as co

mpl.use("agg")  # a file, no window

# A data set is features, the truth, an ontology and the rows that are known from the start; co.load_dataset("letter")
# gives those of the paper.
digits = load_digits()
names = [f"digit {n}" for n in range(10)]
onto = co.Ontology(
    ["low", "high", *names],
    [
        co.exactly_one(*names),
        co.exactly_one("low", "high"),
        co.subsumes("low", *names[:5]),
        co.subsumes("high", *names[5:]),
    ],
)
rows = np.arange(300)
known = [dict.fromkeys([names[digits.target[i]]], True) for i in rows]
Y = np.array([list(onto.propagate(one).values()) for one in known], np.int8)
dataset = co.Dataset(digits.data[rows] / 16, Y, onto, train=rows[:40], name="digits")

METHODS = {
    "RANDOM-CP": "questions at random; what follows from the answers is drawn all the same",
    "LOG-CP": "the paper's: what follows from an answer, weighed by how surprising it is",
    "posterior": "the default: asks, and predicts, by beliefs and rules together",
}
TARGET = 0.99
curves = []
print(f"{len(rows) - 40} items x {len(onto)} labels to ask; the target is an AUC of {TARGET}\n")
for method, words in METHODS.items():
    curve = co.simulate(
        dataset, method, learner="logistic", per_round=50, until=TARGET, random_state=0
    )
    curves.append(curve)
    needed = curve.questions_to(TARGET)
    print(f"{method:<11} {needed:>5,} questions   {words}")

ax = co.plot.curves(curves, targets=[TARGET])
ax.set_title("Handwritten digits")
ax.figure.savefig("strategies.png", dpi=120)
share = curves[-1].questions_to(TARGET) / curves[0].questions_to(TARGET)
print(
    f"\nThe default takes {share:.0%} of the questions that chance takes. The curves are in strategies.png"
)
