"""The passes over a forest, up and down, a level at a time, with nodes x items in memory.

As in the engine, u(v) is the log-weight of 'v on' relative to 'v and all below it off'. PyTorch can differentiate all
of this: what is impossible weighs e to a large negative number, so that no infinity gets into a gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import softplus

from ..logic.engines.tree import AT_MOST_ONE, COVER, EXACTLY_ONE, FREE
from .levels import Levels

#: The log-weight of what is impossible: finite also for float32, and nothing beside any other.
IMPOSSIBLE = -1e30
#: Beyond this, log(1 + e^x) is x in any precision; PyTorch's own bound of 20 is too low for float64.
LARGE = 50.0

#: From a kind of group, and u and 'known to be on' as groups x members x items: what each group weighs, and what is to
#: be noted of each member.
Weigh = Callable[[int, Tensor, Tensor], tuple[Tensor, Tensor]]


def infer(levels: Levels, odds: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    """The posterior of nodes x items, and log Z of the items; `odds` and `known` are nodes x items, too."""
    shares, log_z = _up(levels, odds, known, _sum)
    above, posterior = torch.ones_like(odds[:1]), [odds[:0]]
    for level, share, state in zip(levels.levels, shares, known.split(levels.sizes), strict=True):
        above = torch.where(state < 0, above.index_select(0, level.node_parents) * share, state.to(share.dtype))
        posterior.append(above)
    return torch.cat(posterior), log_z


def most_probable(levels: Levels, odds: Tensor, known: Tensor) -> Tensor:
    """Which nodes are on in the heaviest legal world, nodes x items; off wins a tie, then the first member does."""
    chosen, _ = _up(levels, odds, known, _heaviest)
    above, world = torch.ones_like(known[:1], dtype=torch.bool), [known[:0] == 1]
    for level, best in zip(levels.levels, chosen, strict=True):
        above = above.index_select(0, level.node_parents) & best
        world.append(above)
    return torch.cat(world)


def _up(levels: Levels, odds: Tensor, known: Tensor, weigh: Weigh) -> tuple[list[Tensor], Tensor]:
    """What is noted of the nodes of each level, from the top; and what all groups at the top weigh together."""
    own, states = odds.split(levels.sizes), known.split(levels.sizes)
    noted: list[Tensor] = []
    below = torch.zeros_like(odds[:1])  # what the groups below each node of a level weigh together
    for depth in range(len(levels.levels) - 1, -1, -1):
        level, state = levels.levels[depth], states[depth]
        on = state == 1
        u = torch.where(on, 0.0, own[depth])
        u = torch.where(state == 0, IMPOSSIBLE, u + below if noted else u)
        weights, notes = [], []
        sizes = [bundle.nodes for bundle in level.bundles]
        for bundle, of_nodes, are_on in zip(level.bundles, u.split(sizes), on.split(sizes), strict=True):
            shape = bundle.count, bundle.size, u.shape[1]
            weight, note = weigh(bundle.kind, of_nodes.reshape(shape), are_on.reshape(shape))
            weights.append(weight)
            notes.append(note.flatten(0, 1))
        noted.append(torch.cat(notes))
        n_above = levels.levels[depth - 1].nodes if depth else 1
        below = u.new_zeros(n_above, u.shape[1]).index_add(0, level.group_parents, torch.cat(weights))
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


def _but_none(total: Tensor, u: Tensor) -> Tensor:
    """log(e^total - 1), where e^total is the weight of all that covering children may do, and 1 that of none."""
    tiny = total < 1e3 * torch.finfo(total.dtype).tiny  # then two at once weigh nothing beside one
    some = torch.where(tiny, 1.0, total)
    return torch.where(tiny, torch.logsumexp(u, 1), some + torch.log(-torch.expm1(-some)))


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
