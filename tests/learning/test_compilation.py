"""Kernels compiled ahead: what a newcomer does first compiles nothing more."""

from __future__ import annotations

import numpy as np
from numba.core import event

import corollary as co
from corollary.learning.compilation import compile_kernels
from corollary.logic.engines.kernels import diagram, junction, tree


class Compiled(event.Listener):
    """The names of kernels that were compiled or, cached, are new in this process."""

    def __init__(self):
        self.names = []

    def on_start(self, compiled):
        self.names.append(compiled.data["dispatcher"].py_func.__name__)

    def on_end(self, compiled):
        """Nothing."""


def test_first_uses_compile_nothing_more(animals):
    compile_kernels()
    for engine in (tree, junction, diagram):
        assert engine.infer.signatures
    listener = Compiled()
    event.register("numba:compile", listener)
    try:
        animals.explain({"bird": True}, "city")
        animals.gain([[0.6] * len(animals)])
        for session in (
            co.Session(animals, np.eye(20)),
            co.Session(animals, ["a bird", "a city", "a fish"] * 5),
        ):
            session.answer(session.ask()[0], False)
            session.retrain()
            session.ask(3)
    finally:
        event.unregister("numba:compile", listener)
    assert listener.names == []
