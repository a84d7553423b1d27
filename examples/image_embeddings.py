"""Label pictures whose embeddings were computed elsewhere: the digits of scikit-learn, with labels above them."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import corollary as co

# The embedding of each picture, one row each. Yours would be np.load("embeddings.npy"), from CLIP or any other network;
# here 64 pixels are brought down to 16 numbers.
digits = load_digits()
embeddings = PCA(16, random_state=0).fit_transform(digits.data)[:400]
names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

onto = co.Ontology(
    ["even", "odd", "loop", *names],
    [
        co.exactly_one(*names),  # every picture shows a digit, and only one
        co.exactly_one("even", "odd"),
        co.subsumes("even", *names[0::2]),
        co.subsumes("odd", *names[1::2]),
        co.formula(
            "loop <-> zero | six | eight | nine"
        ),  # people see at a glance whether there is a loop
    ],
)
truth = np.full((400, len(onto)), -1, np.int8)
for i, digit in enumerate(digits.target[:400]):
    truth[i, onto.labels.index(names[digit])] = 1
truth = onto.propagate(truth)

# The first 20 pictures are labelled. `share_at_random` draws a few items at random, which keeps the forecast honest.
facts = np.full_like(truth, -1)
facts[:20] = truth[:20]
session = co.Session(
    onto, embeddings, facts=facts, asking=co.Asking(share_at_random=0.1), random_state=0
)


def picture(i: int) -> str:
    """A picture as a terminal can show it."""
    return "\n".join(
        "  " + "".join(" .:*#"[int(value) // 4] * 2 for value in row) for row in digits.images[i]
    )


question = session.ask()[0]
print(
    f"The first question, of {session.open:,} open ones: is this {question.label}?\n{picture(question.item)}"
)
for answer, settles in (("yes", question.if_yes), ("no", question.if_no)):
    print(
        f"  {answer} would settle: {', '.join(('' if on else 'not ') + label for label, on in settles.items())}"
    )
print()

asked = 0
for _ in range(5):
    for question in session.ask(40):  # to a person; here the truth answers
        session.answer(question, bool(truth[question.item, onto.labels.index(question.label)]))
        asked += 1
    session.retrain()
    right = (session.predict() == truth).all(axis=1).mean()
    print(
        f"{asked:3} questions: {session.open:,} labels open, {right:.1%} of the pictures are labelled right"
    )

print(f"\nWhat can be told without the truth: {session.forecast(target=0.99)}")
