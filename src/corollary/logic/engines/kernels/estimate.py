"""Loopy belief propagation in log-odds over clauses and at-most-one groups, one item after another."""

from __future__ import annotations

import numpy as np

from ...compiling import njit
from ..estimate import CLAUSE
from ..numeric import log_add, softplus

LARGEST = 500.0  # messages beyond this say the same


@njit(cache=True, nogil=True)
def _false(e, literal, total, message):  # type: ignore[no-untyped-def]
    """Log of the chance that a literal is false, as far as the other constraints know."""
    x = literal[e]
    v = total[x >> 1] - message[e]
    return -softplus(v if x & 1 == 0 else -v)


@njit(cache=True, nogil=True)
def _clause(first, last, literal, total, message, fresh):  # type: ignore[no-untyped-def]
    """New messages of a clause; returns the log of the chance that it holds."""
    all_false = 0.0
    for e in range(first, last):
        fresh[e] = _false(e, literal, total, message)
        all_false += fresh[e]
    for e in range(first, last):
        others = all_false - fresh[e]
        if others > -1e-3:  # the difference has cancelled: add up again
            others = 0.0
            for d in range(first, last):
                if d != e:
                    others += _false(d, literal, total, message)
        push = -np.log(-np.expm1(others)) if others < 0.0 else LARGEST
        fresh[e] = push if literal[e] & 1 == 0 else -push
    return np.log(-np.expm1(all_false)) if all_false < 0.0 else -LARGEST


@njit(cache=True, nogil=True)
def _at_most_one(first, last, literal, total, message, fresh):  # type: ignore[no-untyped-def]
    """New messages of a group.

    Each label gets the weight of the others, plus 1 for none of them.
    """
    best = first
    for e in range(first, last):
        fresh[e] = total[literal[e] >> 1] - message[e]
        if fresh[e] > fresh[best]:
            best = e
    largest = fresh[best]
    top = 0.0
    for e in range(first, last):
        if e != best:
            top = max(top, fresh[e])
    rest = np.exp(-top)  # all but the largest, relative to top
    for e in range(first, last):
        if e != best:
            fresh[e] = np.exp(fresh[e] - top)
            rest += fresh[e]
    all_but_best = top + np.log(rest)
    for e in range(first, last):
        if e != best:
            others = log_add(largest, top + np.log(max(rest - fresh[e], 1e-300)))
            fresh[e] = -min(LARGEST, others)
    fresh[best] = -min(LARGEST, all_but_best)
    return log_add(largest, all_but_best)


@njit(cache=True, nogil=True)
def infer(odds, known, kind, first, literal, sweeps, tolerance, posterior, log_z, both):  # type: ignore[no-untyped-def]
    """Sweep forth and back until no probability moves by more than the tolerance; damped if that takes long."""
    n_factors = kind.size
    n_labels = odds.shape[1]
    message = np.zeros(literal.size)
    fresh = np.zeros(literal.size)
    total = np.empty(n_labels)
    degree = np.zeros(n_labels)
    for x in literal:
        degree[x >> 1] += 1.0
    for i in range(odds.shape[0]):
        message[:] = 0.0
        for k in range(n_labels):
            total[k] = odds[i, k] if known[i, k] < 0 else (np.inf if known[i, k] == 1 else -np.inf)
        for sweep in range(sweeps):
            keep = 0.0 if sweep < 20 else 0.5
            moved = 0.0
            for step in range(n_factors):
                g = step if sweep % 2 == 0 else n_factors - 1 - step
                if kind[g] == CLAUSE:
                    _clause(first[g], first[g + 1], literal, total, message, fresh)
                elif not _settled(first[g], first[g + 1], literal, total):
                    _at_most_one(first[g], first[g + 1], literal, total, message, fresh)
                for e in range(first[g], first[g + 1]):
                    k = literal[e] >> 1
                    if known[i, k] >= 0:
                        continue
                    new = keep * message[e] + (1.0 - keep) * fresh[e]
                    before = 1.0 / (1.0 + np.exp(-total[k]))
                    total[k] += new - message[e]
                    message[e] = new
                    moved = max(moved, abs(1.0 / (1.0 + np.exp(-total[k])) - before))
            if moved < tolerance:
                break
        _read(odds[i], known[i], literal, total, message, posterior[i], both[i])
        log_z[i] = _bethe(known[i], kind, first, literal, total, message, fresh, degree)


@njit(cache=True, nogil=True)
def _settled(first, last, literal, total):  # type: ignore[no-untyped-def]
    """A group in which one label is known to be on has nothing more to say."""
    for e in range(first, last):
        if total[literal[e] >> 1] == np.inf:
            return True
    return False


@njit(cache=True, nogil=True)
def _read(odds, known, literal, total, message, posterior, both):  # type: ignore[no-untyped-def]
    """Each constraint leaves both values legal with the smaller of its two messages, independently of the others."""
    for k in range(odds.size):
        posterior[k] = known[k] if known[k] >= 0 else 1.0 / (1.0 + np.exp(-total[k]))
        both[k] = softplus(odds[k]) - softplus(total[k]) if known[k] < 0 else -np.inf
    for e in range(literal.size):
        both[literal[e] >> 1] += min(0.0, message[e])
    for k in range(odds.size):
        both[k] = min(1.0, np.exp(both[k]))


@njit(cache=True, nogil=True)
def _bethe(known, kind, first, literal, total, message, fresh, degree):  # type: ignore[no-untyped-def]
    """Bethe's estimate of the log normaliser."""
    log_z = 0.0
    for k in range(total.size):
        if known[k] < 0:
            log_z += (1.0 - degree[k]) * softplus(total[k])
    for g in range(kind.size):
        if kind[g] == CLAUSE:
            log_z += _clause(first[g], first[g + 1], literal, total, message, fresh)
            for e in range(first[g], first[g + 1]):
                k = literal[e] >> 1
                if known[k] < 0:
                    log_z += softplus(total[k] - message[e])
        elif not _settled(first[g], first[g + 1], literal, total):
            log_z += _at_most_one(first[g], first[g + 1], literal, total, message, fresh)
    return log_z
