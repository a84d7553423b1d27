"""Label short texts by a taxonomy, a question at a time: what is asked, what follows, how good the model gets.

python text_taxonomy.py          # someone who knows the truth answers
python text_taxonomy.py --ask    # you answer: y, n, or Enter for "can't tell"; Ctrl-D ends
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import corollary as co

ASK = "--ask" in sys.argv[1:]

# Letters to a shop, made of phrases so that the truth is known. Yours is any list of texts.
CORES = {
    "refund": ["I want my money back for", "Please refund", "When do I get back what I paid for"],
    "invoice": [
        "The invoice is missing for",
        "I need a receipt with our tax number for",
        "Wrong sum on the bill for",
    ],
    "card declined": [
        "My card was declined for",
        "The payment does not go through for",
        "The bank said no to",
    ],
    "late": [
        "I am still waiting for",
        "It is two weeks late now:",
        "You promised Monday, and there is no sign of",
    ],
    "damaged": [
        "It arrived broken:",
        "There are scratches on",
        "The parcel was open and half of it was gone:",
    ],
    "password": [
        "I forgot my password and cannot see",
        "The link to sign in is dead, so I cannot look at",
    ],
    "close account": [
        "Delete my account and everything about",
        "I do not want to be a customer any more after",
    ],
}
THINGS = [
    "the lamp",
    "my order",
    "the blue chair",
    "two mugs",
    "the book",
    "a pair of shoes",
    "the gift",
    "the tent",
]
written = [
    (f"{core} {thing}.", topic)
    for topic, cores in CORES.items()
    for core, thing in product(cores, THINGS)
]
np.random.default_rng(0).shuffle(written)
texts = [text for text, _ in written]

onto = co.Ontology.parse("""
    exactly one: payment, delivery, account
    payment  > exactly one: refund, invoice, "card declined"
    delivery > exactly one: late, damaged
    account  > exactly one: password, "close account"
    rule: "by hand" <-> refund | damaged | "close account"     # a person must look at these
""")
truth = np.full((len(texts), len(onto)), -1, np.int8)
for i, (_, topic) in enumerate(written):
    truth[i, onto.labels.index(topic)] = 1
truth = onto.propagate(truth)  # the topic is written down, the rest follows


def reply(question: co.Question) -> bool | None:
    """An answer, from you or from the truth."""
    if not ASK:
        return bool(truth[question.item, onto.labels.index(question.label)])
    typed = (
        input(f"\n{texts[question.item]}\nIs it about: {question.label}? [y/n] ").strip().lower()
    )
    return {"y": True, "n": False}.get(typed[:1])


# One letter of each topic is labelled already; all else is unknown (-1).
topics = [topic for _, topic in written]
start = [topics.index(topic) for topic in CORES]
facts = np.full_like(truth, -1)
facts[start] = truth[start]
session = co.Session(onto, texts, facts=facts, asking=co.Asking(diverse=True), random_state=0)
print(
    f"{len(texts)} letters, {len(onto)} labels; {len(start)} letters are labelled, {session.open:,} labels are open.\n"
)
asked = settled = 0
try:
    for _ in range(5):
        for question in session.ask(10):
            told = session.answer(question, reply(question))
            asked, settled = asked + 1, settled + len(told)
            if told and (ASK or asked <= 2):  # the first ones in full
                print(
                    f"{texts[question.item]}  {question.label}: {'yes' if told[0].value else 'no'}"
                )
                for one in told[1:]:
                    print(f"  so {one.label}: {'yes' if one.value else 'no'}")
        session.retrain()
        right = (session.predict() == truth).all(axis=1).mean()
        print(
            f"{asked} questions settled {settled} labels; all {len(onto)} are predicted right of {right:.0%}"
        )
except EOFError:
    print()
