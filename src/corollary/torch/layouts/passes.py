"""The passes over a forest, up and down, a level at a time, with nodes x items in memory.

As in the engine, u(v) is the log-weight of 'v on' relative to 'v and all below it off'. PyTorch can
differentiate all passes. Impossible values weigh e to a large negative number, so that no infinity
gets into a gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from ...logic.engines.tree import AT_MOST_ONE, COVER, EXACTLY_ONE, FREE
from .levels import Levels

#: The log-weight of impossible values: finite also for float32, and far below any other.
IMPOSSIBLE = -1e30
#: Beyond this, log(1 + e^x) is x in any precision; PyTorch's own bound of 20 is too low for float64.
LARGE = 50.0

#: From a kind of group, and u and 'known to be on' as groups x members x items: the weight of each
#: group, and the notes on each member.
Weigh = Callable[[int, Tensor, Tensor], tuple[Tensor, Tensor]]


class Found(NamedTuple):
    """The posterior of nodes x items, and log Z over unknown values.

    If asked for, `both` is the probability that the other labels leave both values legal; 0 for
    known ones.
    """

    posterior: Tensor
    log_z: Tensor
    both: Tensor | None

    @classmethod
    def of(
        cls, posterior: Tensor, log_z: Tensor, both: Tensor | None, known: Tensor | None
    ) -> Found:
        """Put the results for open nodes together with the known values."""
        posterior = posterior.clamp(max=1.0)
        both = None if both is None else both.clamp(max=1.0)
        if known is not None:
            posterior = torch.where(known < 0, posterior, known.to(posterior.dtype))
            both = None if both is None else torch.where(known < 0, both, 0.0)
        return cls(posterior, log_z, both)


def infer(levels: Levels, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
    """See `Found`; `odds` and `known` are nodes x items."""
    states = (
        torch.full((), -1, dtype=torch.int8, device=odds.device).expand(odds.shape)
        if known is None
        else known
    )
    noted, log_z = _up(levels, odds, states, _sum_and_off if both else _sum)
    above = torch.ones_like(odds[:1])
    posterior = [odds[:0]]
    legal = [odds[:0]]
    own = odds.split(levels.sizes)
    of_levels = states.split(levels.sizes)
    for level, notes, state, own_odds in zip(levels.levels, noted, of_levels, own, strict=True):
        parents = above.index_select(0, level.node_parents)
        share = notes
        if both:
            share, log_off = notes.unbind(-1)
            either = parents * torch.exp(
                (log_off + softplus(own_odds, threshold=LARGE)).clamp(max=0.0)
            )
            legal.append(torch.where(level.bound[:, None], 0.0, either))
        above = parents * share
        if known is not None:
            above = torch.where(state < 0, above, state.to(share.dtype))
        posterior.append(above)
    return Found.of(torch.cat(posterior), log_z, torch.cat(legal) if both else None, known)


def most_probable(levels: Levels, odds: Tensor, known: Tensor) -> Tensor:
    """Which nodes are on in the heaviest legal world, nodes x items; off wins a tie, then the first member does."""
    chosen, _ = _up(levels, odds, known, _heaviest)
    above = torch.ones_like(known[:1], dtype=torch.bool)
    world = [known[:0] == 1]
    for level, best in zip(levels.levels, chosen, strict=True):
        above = above.index_select(0, level.node_parents) & best
        world.append(above)
    return torch.cat(world)


def _up(levels: Levels, odds: Tensor, known: Tensor, weigh: Weigh) -> tuple[list[Tensor], Tensor]:
    """Return the notes on each level's nodes, from the top, and the weight of all top groups."""
    own = odds.split(levels.sizes)
    states = known.split(levels.sizes)
    noted: list[Tensor] = []
    below = torch.zeros_like(odds[:1])  # what the groups below each node of a level weigh together
    for depth in range(len(levels.levels) - 1, -1, -1):
        level = levels.levels[depth]
        state = states[depth]
        on = state == 1
        u = torch.where(on, 0.0, own[depth])
        u = torch.where(state == 0, IMPOSSIBLE, u + below if noted else u)
        weights = []
        notes = []
        sizes = [bundle.nodes for bundle in level.bundles]
        for bundle, of_nodes, are_on in zip(
            level.bundles, u.split(sizes), on.split(sizes), strict=True
        ):
            shape = bundle.count, bundle.size, u.shape[1]
            weight, note = weigh(bundle.kind, of_nodes.reshape(shape), are_on.reshape(shape))
            weights.append(weight)
            notes.append(note.flatten(0, 1))
        noted.append(torch.cat(notes))
        n_above = levels.levels[depth - 1].nodes if depth else 1
        below = u.new_zeros(n_above, u.shape[1]).index_add(
            0, level.group_parents, torch.cat(weights)
        )
    return noted[::-1], below[0]


def _sum(kind: int, u: Tensor, on: Tensor) -> tuple[Tensor, Tensor]:
    """The log-weight of all that each group may do while its parent is on, and the share in it of each member."""
    if kind in (AT_MOST_ONE, EXACTLY_ONE):
        weight = torch.logsumexp(u, 1)
        if kind == AT_MOST_ONE:
            weight = torch.where(on.any(1), weight, softplus(weight, threshold=LARGE))
        return weight, torch.exp(u - weight[:, None])
    either = softplus(u, threshold=LARGE)  # on or off
    total = torch.where(on, u, either).sum(1)
    if kind == FREE:
        return total, torch.exp(u - either)
    assert kind == COVER
    weight = torch.where(on.any(1), total, _but_none(total, u))
    return weight, torch.exp(u - either + (total - weight)[:, None])


def _sum_and_off(kind: int, u: Tensor, on: Tensor) -> tuple[Tensor, Tensor]:
    """As `_sum`, and of each member the log-probability that it is off where its group would let it be on, too."""
    weight, share = _sum(kind, u, on)
    if kind == AT_MOST_ONE:
        off = torch.where(on.any(1), IMPOSSIBLE, -weight)[:, None].expand_as(u)
    elif kind == EXACTLY_ONE:
        off = torch.full_like(u, IMPOSSIBLE)
    else:
        off = -softplus(u, threshold=LARGE)
        if kind == COVER:  # the others have to cover without it
            others = torch.where(on, u, -off).sum(1, keepdim=True) + off
            covered = torch.where(others > 0, _log_expm1(others), IMPOSSIBLE) - weight[:, None]
            off = torch.where(on.any(1, keepdim=True), off, covered)
    return weight, torch.stack([share, off], -1)


def _but_none(total: Tensor, u: Tensor) -> Tensor:
    """log(e^total - 1), where e^total is the weight of all that covering children may do, and 1 that of none."""
    tiny = total < 1e3 * torch.finfo(total.dtype).tiny  # then two at once weigh nothing beside one
    return torch.where(tiny, torch.logsumexp(u, 1), _log_expm1(torch.where(tiny, 1.0, total)))


def _log_expm1(x: Tensor) -> Tensor:
    """log(e^x - 1) for x > 0."""
    return x + torch.log(-torch.expm1(-x))


def _heaviest(kind: int, u: Tensor, on: Tensor) -> tuple[Tensor, Tensor]:
    """The log-weight of the heaviest that each group may do while its parent is on, and which members are on in it."""
    first = torch.zeros_like(on).scatter(1, u.argmax(1, keepdim=True), True)
    settled = on.any(1, keepdim=True)
    if kind == AT_MOST_ONE:
        best = torch.where(settled, on, first & (u > 0))
    elif kind == EXACTLY_ONE:
        best = torch.where(settled, on, first)
    else:
        best = on | (u > 0)
        if kind == COVER:
            best |= first & ~settled
    return torch.where(best, u, 0.0).sum(1), best
