"""Unit propagation and the search for failed literals, over literals 2v (yes) and 2v+1 (no)."""

from __future__ import annotations

import numpy as np

from ..compiling import njit


@njit(cache=True, nogil=True)
def _assign(x, value, trail, n_trail):  # type: ignore[no-untyped-def]
    """Make a literal true: the new length of the trail, or -1 if it is already false."""
    old = value[x >> 1]
    new = 1 - (x & 1)
    if old < 0:
        value[x >> 1] = new
        trail[n_trail] = x
        return n_trail + 1
    return n_trail if old == new else -1


@njit(cache=True, nogil=True)
def _follow(  # type: ignore[no-untyped-def]
    value,
    lost,
    trail,
    done,
    n_trail,
    first_after,
    after,
    first_loses,
    loses,
    first_literal,
    literal,
):
    """All that follows from the literals of the trail past `done`: the new length, or (-1, trail used) on a clash."""
    while done < n_trail:
        x = trail[done]
        done += 1
        for j in range(first_after[x], first_after[x + 1]):
            m = _assign(after[j], value, trail, n_trail)
            if m < 0:
                return -1, n_trail
            n_trail = m
        for j in range(first_loses[x], first_loses[x + 1]):
            c = loses[j]
            lost[c] += 1
            size = first_literal[c + 1] - first_literal[c]
            if lost[c] < size - 1:
                continue
            # All but one literal are false, as far as the trail has been followed: find one that is not.
            rest = -1
            for t in range(first_literal[c], first_literal[c + 1]):
                y = literal[t]
                if value[y >> 1] < 0 or value[y >> 1] == 1 - (y & 1):
                    rest = y
                    break
            if rest < 0:
                return -1, n_trail
            n_trail = _assign(rest, value, trail, n_trail)
    return n_trail, n_trail


@njit(cache=True, nogil=True)
def propagate(facts, clash, given, first_after, after, first_loses, loses, first_literal, literal):  # type: ignore[no-untyped-def]
    """Complete each row of facts in place; mark the rows that clash and leave them as they are."""
    n_labels = facts.shape[1]
    n_variables = (first_after.size - 1) // 2
    value = np.full(n_variables, -1, np.int8)
    lost = np.zeros(first_literal.size - 1, np.int64)
    trail = np.empty(n_variables, np.int64)
    base = 0
    for x in given:
        base = _assign(x, value, trail, base)
        if base < 0:
            clash[:] = True
            return
    base, _ = _follow(
        value, lost, trail, 0, base, first_after, after, first_loses, loses, first_literal, literal
    )
    if base < 0:
        clash[:] = True
        return
    lost_before = lost.copy()
    for i in range(facts.shape[0]):
        n_trail = base
        used = base
        for k in range(n_labels):
            if facts[i, k] >= 0 and n_trail >= 0:
                n_trail = _assign(2 * k + 1 - facts[i, k], value, trail, n_trail)
                used = max(used, n_trail)
        if n_trail >= 0:
            n_trail, used = _follow(
                value,
                lost,
                trail,
                base,
                n_trail,
                first_after,
                after,
                first_loses,
                loses,
                first_literal,
                literal,
            )
        if n_trail < 0:
            clash[i] = True
        else:
            for k in range(n_labels):
                facts[i, k] = value[k]
        for t in range(base, used):
            x = trail[t]
            value[x >> 1] = -1
            for j in range(first_loses[x], first_loses[x + 1]):
                lost[loses[j]] = lost_before[loses[j]]


@njit(cache=True, nogil=True)
def failed_literals(state, mixed, first_after, after):  # type: ignore[no-untyped-def]
    """Literals of open labels that lead to their own negation.

    If no "no" leads to a "yes", only a yes can fail. It fails if two of its consequences exclude
    each other, so the search stays among its ancestors. Otherwise all consequences are searched.
    """
    n = first_after.size - 1
    seen = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    failed = np.empty(2 * state.size, np.int64)
    n_failed = 0
    for start in range(2 * state.size):
        k = start >> 1
        if state[k] >= 0 or (start & 1 and not mixed[k]):
            continue
        seen[start] = start
        stack[0] = start
        depth = 1
        fails = False
        while depth and not fails:
            depth -= 1
            x = stack[depth]
            for j in range(first_after[x], first_after[x + 1]):
                y = after[j]
                if mixed[k]:
                    fails |= y == start ^ 1
                elif y & 1:
                    fails |= seen[y ^ 1] == start
                    continue
                if seen[y] != start:
                    seen[y] = start
                    stack[depth] = y
                    depth += 1
        if fails:
            failed[n_failed] = start
            n_failed += 1
    return failed[:n_failed].copy()
