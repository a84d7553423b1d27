"""Kernels compiled ahead of their first use, by small sessions on ontologies that take one engine each."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ..logic.errors import Contradiction
from ..logic.ontology import Ontology
from .choosing.scores import score
from .session.options import Annotators, Asking
from .session.session import Session

TREE = "animal > exclusive: bird, fish\nplace > exclusive: city, river\nexclusive: animal, place"
TWO_PARENTS = "animal > bat, dog\nflyer > bat, kite\nthing > animal, flyer, tree"
RULES = "animal > exclusive: bird, fish\nrule: flies & animal >> bird | bat\nrule: !bat | !fish"


def compile_kernels() -> None:
    """Compile the kernels that reasoning, explaining and sessions use; those in the cache stay as they are.

    Not those of single learners and of ontologies that are too large for an exact answer: they compile when first used.
    """
    for text in (TREE, TWO_PARENTS, RULES):
        _reason(Ontology.parse(text))
    tree = Ontology.parse(TREE)
    _label(Session(tree, np.eye(20), facts=[{"bird": True}, {}] * 10))
    _label(Session(tree, [f"{name} {name}" for name in tree.labels] * 2))
    _label(
        Session(
            tree,
            beliefs=np.full((20, len(tree)), 0.4),
            asking=Asking(pick="auto"),
            annotators=Annotators(fallible=True),
        )
    )


def _reason(onto: Ontology) -> None:
    """Ask an ontology everything."""
    beliefs = np.full((2, len(onto)), 0.4)
    labels = onto.labels
    facts = onto.propagate([{labels[0]: True}, {}])
    with suppress(Contradiction):
        onto.propagate(dict.fromkeys(labels, True))
    onto.explain({labels[0]: True}, labels[0])
    onto.lint()
    onto.gain(beliefs, facts)
    onto.most_probable(beliefs, facts)
    score("linear", beliefs, onto, facts)


def _label(session: Session) -> None:
    """Ask, answer, retrain and ask again."""
    (question,) = session.ask()
    session.answer(question, None)
    session.answer((1, "bird"), True)
    session.retrain()
    session.ask(3)
    session.predict()
    _ = session.posterior
