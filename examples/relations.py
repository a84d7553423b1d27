"""Ask about people, places and companies in sentences, and about who lives and works where, by one worth of questions.

Run it: python examples/relations.py
"""

from __future__ import annotations

import numpy as np

import corollary as co

ONTOLOGY = """
exactly one: person, place, company
relation lives_in(person, place)
relation works_for(person, company)
relation based_in(company, place)
relation married(person, person) symmetric
"""
#: Mentions of each sentence, with their types, and the relations between them.
SENTENCES = [
    ([("Anna", "person"), ("Oslo", "place")], [(0, "lives_in", 1)]),
    ([("Ben", "person"), ("Cora", "person")], [(0, "married", 1), (1, "married", 0)]),
    ([("Dora", "person"), ("Acme", "company"), ("Rome", "place")], [(0, "works_for", 1), (1, "based_in", 2)]),
    ([("Initech", "company"), ("Austin", "place")], [(0, "based_in", 1)]),
    ([("Emil", "person"), ("Fay", "person"), ("Paris", "place")], [(0, "lives_in", 2), (1, "lives_in", 2)]),
]  # fmt: skip


def main() -> None:
    """Answer from the truth until nothing is open."""
    onto = co.Ontology.parse(ONTOLOGY)
    words, types, head, tail, related = [], [], [], [], []
    for mentions, relations in SENTENCES:
        first = len(words)
        words += [word for word, _ in mentions]
        types += [kind for _, kind in mentions]
        for h in range(len(mentions)):
            for t in range(len(mentions)):
                if h != t:
                    head.append(first + h)
                    tail.append(first + t)
                    related.append({name for a, name, b in relations if (a, b) == (h, t)})
    Y = np.array([[kind == label for label in onto.labels] for kind in types], np.int8)
    R = np.array([[name in held for name in onto.relations] for held in related], np.int8)

    rng = np.random.default_rng(0)  # a model that is often wrong
    beliefs = np.clip(0.35 * Y + rng.uniform(0.05, 0.6, Y.shape), 0, 1)
    pair_beliefs = np.clip(0.3 * R + rng.uniform(0.02, 0.3, R.shape), 0, 1)
    pairs = co.Pairs(head, tail, beliefs=pair_beliefs)
    session = co.Session(onto, words, pairs=pairs, beliefs=beliefs)
    print(f"{Y.size} labels of mentions and {R.size} relations of pairs are unknown")

    asked = 0
    while session.open:
        question = session.ask()[0]
        if question.pair is None:
            truth = Y[question.item, onto.labels.index(question.label)]
        else:
            row = pairs.row(question.pair)
            truth = R[row, onto.relations.index(question.label)]
        settled = session.answer(question, bool(truth))
        asked += 1
        if asked <= 5:
            print(f"{question}  {'yes' if truth else 'no'}: settles {len(settled)}")
    print(f"{asked} questions settled all {Y.size + R.size}")
    assert (session.facts == Y).all()
    assert (session.pairs.facts == R).all()


if __name__ == "__main__":
    main()
