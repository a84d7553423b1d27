"""Elimination of many components of one shape, one after another: tables as products, not as logarithms."""

from __future__ import annotations

import numpy as np

from ..compiling import njit


@njit(cache=True, nogil=True)
def solve(values, code, size, steps, total, found):  # type: ignore[no-untyped-def]
    """Fill the weight of all assignments, and the probability of each value; `values` are weights (B, W).

    Bucket b sums over its variable, the innermost, for each assignment of the axes around it. An input is multiplied
    in at the level of the last axis that it has, so that the levels above are not worked out again. The last axis is a
    loop of its own. If one table alone has it, beside the variable, that is a product of a vector and a matrix.
    """
    card, first_axis, axis_card, input_base = steps[0], steps[1], steps[2], steps[7]
    n_buckets = card.size
    deepest, own = 0, 1
    for b in range(n_buckets):
        deepest = max(deepest, first_axis[b + 1] - first_axis[b])
        own = max(own, card[b])
    widest = own
    for axis in range(axis_card.size):
        widest = max(widest, axis_card[axis])
    scratch = (
        np.empty((deepest + 1, own)),
        np.empty((deepest + 1, own)),
        np.zeros(deepest + 1, np.int64),
        np.empty(input_base.size, np.int64),
        np.empty(max(n_buckets, 1)),
        np.empty(widest),
        np.empty(widest),
        np.empty(widest * own),
    )
    work, share = np.empty(size), np.empty(size)
    for row in range(values.shape[0]):
        for t in range(code.size):
            work[t] = values[row, code[t]] if code[t] >= 0 else 0.0
        total[row] = _up(work, steps, scratch)
        _down(work, share, steps, scratch)
        for w in range(values.shape[1]):
            found[row, w] = 0.0
        for t in range(code.size):
            if code[t] >= 0:
                found[row, code[t]] += share[t]


@njit(cache=True, nogil=True)
def _up(work, steps, scratch):  # type: ignore[no-untyped-def]
    """Sum over all variables, bucket by bucket; messages are left in `work`."""
    (
        card,
        first_axis,
        axis_card,
        axis_step,
        target,
        first_level,
        level_input,
        input_base,
        input_step,
    ) = steps
    product, _, digit, at, of_root, leaf, _, turned = scratch
    n_buckets = card.size
    whole = 1.0
    for b in range(n_buckets):
        axes, depth = first_axis[b], first_axis[b + 1] - first_axis[b]
        levels, last, own = first_level[b], depth - 1, card[b]
        for i in range(level_input[levels], level_input[levels + depth + 1]):
            at[i] = input_base[i]
        digit[:depth] = 0
        to, level = target[b], 0
        while True:
            _multiply(product, work, at, level_input, levels, level, max(last, 0), own)
            if depth == 0:
                of_root[b] = product[0, :own].sum()
                whole *= of_root[b]
                break
            first, stop = level_input[levels + depth], level_input[levels + depth + 1]
            step, n_last = axis_step[axes + last], axis_card[axes + last]
            alone = _is_alone(input_step, first, stop, last)
            if alone:
                if level == 0:
                    _turn(work, at[first], n_last, own, turned)
                _spread(product[last], turned, n_last, own, leaf)
                for o in range(n_last):
                    work[to + o * step] = leaf[o]
            for _ in range(0 if alone else n_last):
                for v in range(own):
                    leaf[v] = product[last, v]
                for i in range(first, stop):
                    _times(leaf, work[at[i] : at[i] + own])
                    at[i] += input_step[i, last]
                work[to] = _sum(leaf, own)
                to += step
            if not alone:
                to -= n_last * step
                for i in range(first, stop):
                    at[i] -= n_last * input_step[i, last]
            level = last
            while level > 0:
                d = level - 1
                move = 1
                if digit[d] + 1 == axis_card[axes + d]:
                    move = -digit[d]
                digit[d] += move
                to += move * axis_step[axes + d]
                for i in range(level_input[levels + level], stop):
                    at[i] += move * input_step[i, d]
                if move > 0:
                    break
                level -= 1
            if level == 0:
                break
    return whole


@njit(cache=True, nogil=True)
def _down(work, share, steps, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0915 (a kernel)
    """Fill the probability of each entry of tables and messages, from the last bucket back."""
    (
        card,
        first_axis,
        axis_card,
        axis_step,
        target,
        first_level,
        level_input,
        input_base,
        input_step,
    ) = steps
    product, below, digit, at, of_root, leaf, ratio, turned = scratch
    n_buckets = card.size
    share[:] = 0.0
    for b in range(n_buckets - 1, -1, -1):
        axes, depth = first_axis[b], first_axis[b + 1] - first_axis[b]
        levels, last, own = first_level[b], depth - 1, card[b]
        for i in range(level_input[levels], level_input[levels + depth + 1]):
            at[i] = input_base[i]
        digit[:depth] = 0
        below[: depth + 1] = 0.0
        to, level = target[b], 0
        while True:
            _multiply(product, work, at, level_input, levels, level, max(last, 0), own)
            if depth == 0:
                scale = 1.0 / of_root[b] if of_root[b] > 0 else 0.0
                for v in range(own):
                    below[0, v] = product[0, v] * scale
                for i in range(level_input[levels], level_input[levels + 1]):
                    _plus(share[at[i] : at[i] + own], below[0])
                break
            first, stop = level_input[levels + depth], level_input[levels + depth + 1]
            step, n_last = axis_step[axes + last], axis_card[axes + last]
            alone = _is_alone(input_step, first, stop, last)
            if alone:
                if level == 0:
                    turned[: n_last * own] = 0.0
                _divide(share, work, to, step, n_last, ratio)
                table = work[at[first] : at[first] + n_last * own]
                _gather(product[last], table, ratio, n_last, own, turned, leaf, below[last])
            for _ in range(0 if alone else n_last):
                scale = share[to] / work[to] if work[to] > 0 else 0.0
                for v in range(own):
                    leaf[v] = product[last, v] * scale
                for i in range(first, stop):
                    _times(leaf, work[at[i] : at[i] + own])
                for i in range(first, stop):
                    _plus(share[at[i] : at[i] + own], leaf)
                    at[i] += input_step[i, last]
                _plus(below[last, :own], leaf)
                to += step
            if not alone:
                to -= n_last * step
                for i in range(first, stop):
                    at[i] -= n_last * input_step[i, last]
            level = last
            while True:
                for i in range(level_input[levels + level], level_input[levels + level + 1]):
                    _plus(share[at[i] : at[i] + own], below[level])
                if level == 0:
                    break
                d = level - 1
                _carry(below[d], below[level], own)
                move = 1
                if digit[d] + 1 == axis_card[axes + d]:
                    move = -digit[d]
                digit[d] += move
                to += move * axis_step[axes + d]
                for i in range(level_input[levels + level], stop):
                    at[i] += move * input_step[i, d]
                if move > 0:
                    break
                level -= 1
            if level == 0:
                if alone:
                    for t in range(n_last * own):
                        share[at[first] + t] += turned[t] * work[at[first] + t]
                break


@njit(cache=True, nogil=True)
def _multiply(product, work, at, level_input, levels, level, deepest, own):  # type: ignore[no-untyped-def]
    """The products of all inputs down to each level, from the first that changed."""
    for d in range(level, deepest + 1):
        for v in range(own):
            product[d, v] = product[d - 1, v] if d else 1.0
        for i in range(level_input[levels + d], level_input[levels + d + 1]):
            _times(product[d], work[at[i] : at[i] + own])


@njit(cache=True, nogil=True)
def _is_alone(input_step, first, stop, last):  # type: ignore[no-untyped-def]
    """Whether one input has the last axis, and no other axis."""
    if stop - first != 1:
        return False
    for d in range(last):
        if input_step[first, d] != 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _turn(work, base, n_last, own, turned):  # type: ignore[no-untyped-def]
    """The table (last axis, variable) as (variable, last axis)."""
    for o in range(n_last):
        for v in range(own):
            turned[v * n_last + o] = work[base + o * own + v]


@njit(cache=True, nogil=True)
def _spread(product, turned, n_last, own, leaf):  # type: ignore[no-untyped-def]
    """The sums over the variable, for each value of the last axis."""
    for o in range(n_last):
        leaf[o] = 0.0
    for v in range(own):
        p = product[v]
        row = turned[v * n_last : (v + 1) * n_last]
        for o in range(n_last):
            leaf[o] += p * row[o]


@njit(cache=True, nogil=True)
def _gather(product, table, ratio, n_last, own, turned, sums, below):  # type: ignore[no-untyped-def]
    """Add what each entry of the table is multiplied by, and the sums over the last axis."""
    for v in range(own):
        sums[v] = 0.0
    for o in range(n_last):
        d = ratio[o]
        row, to = table[o * own : (o + 1) * own], turned[o * own : (o + 1) * own]
        for v in range(own):
            sums[v] += d * row[v]
            to[v] += d * product[v]
    for v in range(own):
        below[v] += product[v] * sums[v]


@njit(cache=True, nogil=True)
def _divide(share, work, to, step, n, ratio):  # type: ignore[no-untyped-def]
    """What the probability of each entry of a message is of its weight."""
    for o in range(n):
        at = to + o * step
        ratio[o] = share[at] / work[at] if work[at] > 0 else 0.0


@njit(cache=True, nogil=True)
def _carry(one, other, n):  # type: ignore[no-untyped-def]
    """Add the sums of a level to the level above, and begin them anew."""
    for v in range(n):
        one[v] += other[v]
        other[v] = 0.0


@njit(cache=True, nogil=True)
def _times(one, other):  # type: ignore[no-untyped-def]
    for v in range(other.size):
        one[v] *= other[v]


@njit(cache=True, nogil=True)
def _plus(one, other):  # type: ignore[no-untyped-def]
    for v in range(one.size):
        one[v] += other[v]


@njit(cache=True, nogil=True)
def _sum(values, n):  # type: ignore[no-untyped-def]
    """In four lanes, so that one addition does not wait for the other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for v in range(0, whole, 4):
        a += values[v]
        b += values[v + 1]
        c += values[v + 2]
        d += values[v + 3]
    for v in range(whole, n):
        a += values[v]
    return (a + b) + (c + d)
