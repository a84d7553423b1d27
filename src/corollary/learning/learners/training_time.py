"""How long a learner takes, roughly, from sizes alone: a budget of time under which runs still repeat exactly."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
from scipy import sparse

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..features.matrices import Matrix
from ..features.spaces import REDUCED
from .crf import CRF, Unseen
from .forest import MIXTURES, Trees, tried
from .meaning import Meaning

#: Seconds on one core of an ordinary machine: a multiplication in a product of matrices, one of a sparse matrix, an
#: exponential, a step in the growing of a tree, a step down a grown one.
MULTIPLY = 7e-11
LOOK_UP = 2e-9
EXP = 3e-9
SPLIT = 2e-8
DESCEND = 5e-9
#: Seconds that an engine takes for each item and unit of its size, which is at least the number of its labels.
INFER = {"tree": 3e-8, "diagram": 6e-8, "junction": 2e-8}
#: The same for engines that prune or estimate.
INFER_ELSE = 1e-4


def seconds_of(member: Any, onto: Ontology, matrix: Matrix, known: Facts) -> float:
    """About how long it takes to fit a member and to predict all items; 0 for learners of one's own."""
    if isinstance(member, CRF):
        return _field(member, onto, matrix, known)
    if isinstance(member, Meaning):
        return _meaning(member, onto, matrix, known)
    if isinstance(member, Trees):
        return _trees(member, onto, matrix, known[(known >= 0).all(axis=1)])
    return 0.0


def _field(member: CRF, onto: Ontology, matrix: Matrix, known: Facts) -> float:
    n_items, width = matrix.shape
    answered = known[(known >= 0).any(axis=1)]
    rows = min(len(answered), member.at_most)
    posteriors = (
        1 + float((answered < 0).any(axis=1).mean()) if rows else 1
    )  # fully known items need only one
    product = MULTIPLY
    mapping = width * MULTIPLY
    landing = 0.0
    if sparse.issparse(matrix):
        product = LOOK_UP
        width = matrix.nnz / max(1, n_items)
        mapping = width * LOOK_UP * (1 if member.kernel == "linear" else REDUCED / 10)
        width += REDUCED if member.kernel == "latent" else 0
    if member.kernel == "rbf":
        mapping += member.landmarks * (
            EXP + (REDUCED if sparse.issparse(matrix) else width) * MULTIPLY
        )
        product = MULTIPLY
        width = member.landmarks
        landing = width * width * MULTIPLY
    step = 2 * width * len(onto) * product + posteriors * inference(onto)
    return float(
        rows * (mapping + landing + member.iterations * step)
        + Unseen(onto, answered).posteriors * member.iterations * inference(onto)
        + n_items * (mapping + width * len(onto) * product)
    )


def _meaning(member: Meaning, onto: Ontology, matrix: Matrix, known: Facts) -> float:
    n_items, width = matrix.shape
    rows = min(int((known >= 0).any(axis=1).sum()), member.at_most)
    step = 2 * width * len(onto) * MULTIPLY + 2 * inference(onto)
    each = 3 * width * len(onto) * MULTIPLY + inference(
        onto
    )  # examples, similar items, and the posterior
    return float(member.rounds * (rows * member.iterations * step + n_items * each))


def _trees(member: Trees, onto: Ontology, matrix: Matrix, resolved: Facts) -> float:
    n_items, n_columns = matrix.shape
    worlds = len(np.unique(resolved, axis=0)) if len(resolved) else 0
    depth = log2(2 + len(resolved))
    if member.kind == "forest":
        by_label = worlds > len(onto)
        at_once = 1 + (min(len(onto), MIXTURES) if by_label else worlds) / 100
        each = 1e-3 + depth * (
            len(resolved) * tried(n_columns) * SPLIT * at_once + n_items * 2 * DESCEND
        )
        each += n_items * len(onto) * LOOK_UP if by_label else 0.0
    else:
        each = worlds * (1e-3 + len(resolved) * n_columns * SPLIT / 3 + n_items * 8 * DESCEND)
    return float(member.size * each + n_items * fitting(onto))


def fitting(onto: Ontology) -> float:
    """About how many seconds the scores of one item take that have given marginals."""
    closed = all(part.engine == "tree" for part in onto.engines)
    return inference(onto) * (1 if closed else 4 * len(onto))


def inference(onto: Ontology) -> float:
    """About how many seconds the posterior of one item takes."""
    return sum(
        INFER.get(part.engine, INFER_ELSE) * max(part.size, len(part.labels))
        for part in onto.engines
    )
