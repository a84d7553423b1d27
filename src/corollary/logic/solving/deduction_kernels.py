"""Compiled loops over indexed clauses: unit propagation that remembers reasons, and local search for a legal world.

Clause c is `literals[begin[c] : begin[c + 1]]`; literal l occurs in
`found_in[found_begin[l] : found_begin[l + 1]]`.
"""

from __future__ import annotations

import numpy as np

from ..compiling import njit

IMPOSSIBLE = 0
POSSIBLE = 1
UNKNOWN = 2
_OPEN = -2
_GIVEN = -1


@njit(cache=True, nogil=True)
def derive(given, target, literals, begin, found_in, found_begin, short, n_labels):  # type: ignore[no-untyped-def]
    """Literals and reasons behind the first violated clause, else behind the target, none if neither; that clause."""
    trail, reason, violated = _propagate(
        given, literals, begin, found_in, found_begin, short, n_labels
    )
    wanted = np.zeros(len(reason), np.bool_)
    if violated >= 0:
        for j in range(begin[violated], begin[violated + 1]):
            wanted[literals[j] ^ 1] = True
    elif target >= 0 and reason[target] != _OPEN:
        wanted[target] = True
    for l in trail[::-1]:
        if wanted[l] and reason[l] >= 0:
            for j in range(begin[reason[l]], begin[reason[l] + 1]):
                if literals[j] != l:
                    wanted[literals[j] ^ 1] = True
    used = trail[wanted[trail]]
    return used, reason[used], violated


@njit(cache=True, nogil=True)
def _propagate(given, literals, begin, found_in, found_begin, short, n_labels):  # type: ignore[no-untyped-def]
    """All that follows one clause at a time, in order; the clause behind each literal; the first violated clause.

    Breadth first in uses of constraints: a step from a helper variable is part of the use that led to it, so helpers
    go first within a round. Two queues, each in order of round, keep it so.
    """
    n = len(found_begin) - 1
    reason = np.full(n, _OPEN, np.int32)
    round_of = np.empty(n, np.int32)
    denied = np.zeros(
        len(begin) - 1, np.int32
    )  # literals of each clause, as far as the queues have been worked off
    trail = np.empty(n, np.int32)
    queue = np.empty((2, n), np.int32)  # labels, helpers
    head = np.zeros(2, np.int64)
    tail = np.zeros(2, np.int64)
    size = 0
    for l in given:
        size = _record(l, _GIVEN, 0, reason, round_of, trail, size, queue, tail, n_labels)
    for c in short:
        if begin[c] == begin[c + 1] or reason[literals[begin[c]] ^ 1] != _OPEN:
            return trail[:size], reason, c
        size = _record(
            literals[begin[c]], c, 1, reason, round_of, trail, size, queue, tail, n_labels
        )
    while head[0] < tail[0] or head[1] < tail[1]:
        helper = head[1] < tail[1] and (
            head[0] == tail[0] or round_of[queue[1, head[1]]] <= round_of[queue[0, head[0]]]
        )
        l = queue[int(helper), head[int(helper)]]
        head[int(helper)] += 1
        for at in range(found_begin[l ^ 1], found_begin[(l ^ 1) + 1]):
            c = found_in[at]
            denied[c] += 1
            if denied[c] < begin[c + 1] - begin[c] - 1:
                continue
            last = -1  # the literal that nothing denies
            for j in range(begin[c], begin[c + 1]):
                if reason[literals[j] ^ 1] == _OPEN:
                    last = literals[j]
                    break
            if last < 0:
                return trail[:size], reason, c
            round_ = round_of[l] + (0 if helper else 1)
            size = _record(last, c, round_, reason, round_of, trail, size, queue, tail, n_labels)
    return trail[:size], reason, -1


@njit(cache=True, nogil=True)
def _record(l, why, round_, reason, round_of, trail, size, queue, tail, n_labels):  # type: ignore[no-untyped-def]
    """Note a literal unless it is known: the new length of the trail."""
    if reason[l] != _OPEN:
        return size
    reason[l] = why
    round_of[l] = round_
    trail[size] = l
    helper = int(l >= 2 * n_labels)
    queue[helper, tail[helper]] = l
    tail[helper] += 1
    return size + 1


@njit(cache=True, nogil=True)
def search(  # type: ignore[no-untyped-def]
    cases,
    case_begin,
    attempts,
    world,
    fixed,
    off,
    waiting,
    trail,
    flipped,
    queue,
    literals,
    begin,
    found_in,
    found_begin,
):
    """Whether each case is possible, starting from a legal world; `world`, `fixed`, `waiting` are left as they were."""
    out = np.empty(len(case_begin) - 1, np.int8)
    for i in range(len(out)):
        case = cases[case_begin[i] : case_begin[i + 1]]
        for attempt in range(attempts):
            size = 0
            out[i] = POSSIBLE
            for l in case:
                if not fixed[l >> 1]:
                    size = _fix(l, world, fixed, trail, flipped, size)
                elif not world[l]:
                    out[i] = IMPOSSIBLE
            if out[i] == POSSIBLE:
                out[i], size = _repair(
                    attempt,
                    world,
                    fixed,
                    off,
                    waiting,
                    literals,
                    begin,
                    found_in,
                    found_begin,
                    trail,
                    flipped,
                    size,
                    queue,
                )
            for j in range(size):
                fixed[trail[j] >> 1] = False
                if flipped[j]:
                    world[trail[j]] = False
                    world[trail[j] ^ 1] = True
            if out[i] != UNKNOWN:
                break
    return out


@njit(cache=True, nogil=True)
def _fix(l, world, fixed, trail, flipped, size):  # type: ignore[no-untyped-def]
    """Make a literal true for good: the new length of the trail."""
    fixed[l >> 1] = True
    trail[size] = l
    flipped[size] = not world[l]
    world[l] = True
    world[l ^ 1] = False
    return size + 1


@njit(cache=True, nogil=True)
def _repair(  # type: ignore[no-untyped-def]
    attempt,
    world,
    fixed,
    off,
    waiting,
    literals,
    begin,
    found_in,
    found_begin,
    trail,
    flipped,
    size,
    queue,
):
    """Repair the clauses that the trail violates: the answer and the new length of the trail.

    A clause with one free literal left decides it. One with more waits in the queue, since a choice makes a later
    failure say nothing; `attempt` varies the choices.
    """
    done = 0
    first = 0
    last = 0
    guessed = False
    answer = POSSIBLE
    while answer == POSSIBLE and (done < size or first < last):
        choose = done == size
        if choose:
            low = 0
            high = 1
        else:
            l = trail[done] ^ 1
            low = found_begin[l]
            high = found_begin[l + 1] if flipped[done] else found_begin[l]
            done += 1
        for at in range(low, high):
            if choose:
                c = queue[first % len(queue)]
                first += 1
                waiting[c] = False
            else:
                c = found_in[at]
            free = -1 if off[c] else _free(c, world, fixed, literals, begin)
            if free < 0:
                continue
            if free == 0:
                answer = UNKNOWN if guessed else IMPOSSIBLE
                break
            if free > 1 and not choose:
                if not waiting[c]:
                    waiting[c] = True
                    queue[last % len(queue)] = c
                    last += 1
                continue
            guessed = guessed or free > 1
            l = _free_literal(c, attempt % free, fixed, literals, begin)
            size = _fix(l, world, fixed, trail, flipped, size)
    for i in range(first, last):
        waiting[queue[i % len(queue)]] = False
    return answer, size


@njit(cache=True, nogil=True)
def _free(c, world, fixed, literals, begin):  # type: ignore[no-untyped-def]
    """How many literals of a violated clause may still change; -1 if it is satisfied."""
    free = 0
    for j in range(begin[c], begin[c + 1]):
        if world[literals[j]]:
            return -1
        if not fixed[literals[j] >> 1]:
            free += 1
    return free


@njit(cache=True, nogil=True)
def _free_literal(c, which, fixed, literals, begin):  # type: ignore[no-untyped-def]
    """The literal of a clause that may still change, `which` of those."""
    for j in range(begin[c], begin[c + 1]):
        if not fixed[literals[j] >> 1]:
            if which == 0:
                return literals[j]
            which -= 1
    return -1
