"""Small networks under the posterior, several at once: features and facts in as arrays, scores out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import torch
from torch import Tensor, nn

from ..logic.engines import Facts, Floats
from ..logic.ontology import Ontology
from .functions import log_likelihood

#: Each network holds out one of this number of parts of the items, to see when it has learnt
#: enough.
PARTS = 10
#: What the items held out choose from: the share of hidden units that are dropped, and the decay of weights.
DROPOUTS = (0.3, 0.5, 0.7)
DECAYS = (1e-3, 3e-3, 1e-2, 3e-2)
#: The number of settings, the best of those tried, that are used together.
BEST = 3
#: Items whose scores are worked out at once.
ITEMS_AT_ONCE = 8192


@dataclass(frozen=True)
class Training:
    """How networks are trained: by Adam, until the items held out gain nothing for some epochs.

    Each setting of dropout and decay has `members` networks. If one is None, several values are
    tried.
    """

    members: int
    hidden: int
    dropout: float | None
    epochs: int
    patience: int
    batch: int
    rate: float
    decay: float | None

    def settings(self) -> list[tuple[float, float]]:
        """Every dropout with every decay that is tried."""
        dropouts = DROPOUTS if self.dropout is None else (self.dropout,)
        return list(product(dropouts, DECAYS if self.decay is None else (self.decay,)))


class Members(nn.Module):  # type: ignore[misc]  # PyTorch is not there where types are checked
    """Networks of two hidden layers side by side: (M, N, F) in, logits (M, N, K) out."""

    def __init__(self, n_features: int, n_labels: int, how: Training, seed: int):
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        settings = torch.tensor(how.settings()).repeat_interleave(how.members, dim=0)
        self.register_buffer("dropout", settings[:, 0, None, None])
        self.register_buffer("decay", settings[:, 1, None, None])
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        widths = (n_features, how.hidden, how.hidden, n_labels)
        for wide, out in pairwise(widths):
            weights = (
                torch.randn((len(settings), wide, out), generator=chance)
                * (2.0 / max(1, wide)) ** 0.5
            )
            self.weights.append(nn.Parameter(weights))
            self.biases.append(nn.Parameter(torch.zeros(len(settings), 1, out)))
        self.weights[-1].data *= 0.1  # at the start all legal labellings are about as likely

    def forward(self, features: Tensor, chance: torch.Generator | None = None) -> Tensor:
        """The logits; with `chance`, as in training, where hidden units are dropped by it."""
        for weights, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            features = torch.relu(torch.baddbmm(bias, features, weights))
            if chance is not None:
                drawn = torch.rand(features.shape, generator=chance, device=features.device)
                features = features * (drawn >= self.dropout) / (1.0 - self.dropout)
        return torch.baddbmm(self.biases[-1], features, self.weights[-1])

    def decay_weights(self) -> None:
        """Add what pulls weights, not biases, to zero to their gradients."""
        for weights in self.weights:
            weights.grad += self.decay * weights.detach()

    def keep(self, rows: Tensor) -> None:
        """Leave but these networks."""
        for each in (*self.weights, *self.biases, self.dropout, self.decay):
            each.data = each.data[rows]


def trained(
    onto: Ontology,
    features: Tensor,
    known: Facts,
    how: Training,
    *,
    device: torch.device,
    seed: int,
) -> Members:
    """Networks that were each trained to make the known facts likely; `known` is propagated."""
    features = features.to(device)
    facts = torch.from_numpy(known).to(device)
    members: Members = Members(features.shape[1], len(onto), how, seed).to(device)
    best = {name: value.detach().clone() for name, value in members.named_parameters()}
    taught, held = (
        rows.repeat(len(how.settings()), 1).to(device)
        for rows in _parts(len(known), how.members, seed)
    )
    adam = torch.optim.Adam(members.parameters(), lr=how.rate)
    chance = torch.Generator(device).manual_seed(seed)
    least = torch.full((len(taught),), torch.inf, device=device)
    since = torch.zeros(len(taught), dtype=torch.int64, device=device)
    for _ in range(how.epochs):
        order = taught.gather(
            1, torch.rand(taught.shape, generator=chance, device=device).argsort(dim=1)
        )
        for rows in order.split(how.batch, dim=1):
            adam.zero_grad(set_to_none=True)
            _losses(onto, members, features, facts, rows, chance).sum().backward()
            members.decay_weights()
            adam.step()
        with torch.no_grad():
            found = torch.stack(
                [
                    _losses(onto, members, features, facts, rows) * rows.shape[1]
                    for rows in held.split(1024, dim=1)
                ]
            ).sum(dim=0)
            better = found < least
            since = torch.where(better, 0, since + 1)
            least = torch.where(better, found, least)
            for name, value in members.named_parameters():
                best[name] = torch.where(better[:, None, None], value.detach(), best[name])
        if bool((since >= how.patience).all()):
            break
    members.load_state_dict(best, strict=False)
    lost = least.unflatten(0, (-1, how.members)).mean(dim=1)  # of each setting, on the same parts
    kept = torch.zeros_like(lost, dtype=torch.bool).index_fill_(
        0, lost.argsort(stable=True)[:BEST], True
    )
    members.keep(kept.repeat_interleave(how.members))
    return members


def scores(members: Members, features: Tensor, *, device: torch.device) -> Floats:
    """The mean logits of the networks (N, K)."""
    out = []
    with torch.no_grad():
        for some in features.split(ITEMS_AT_ONCE):
            each = members(some.to(device).expand(len(members.weights[0]), *some.shape))
            out.append(each.mean(dim=0).double().cpu().numpy())
    return np.concatenate(out) if out else np.empty((0, members.biases[-1].shape[-1]))


def _losses(
    onto: Ontology,
    members: Members,
    features: Tensor,
    facts: Tensor,
    rows: Tensor,
    chance: torch.Generator | None = None,
) -> Tensor:
    """Less the mean log-likelihood of the facts, of each network on rows of its own (M, B)."""
    logits = members(features[rows], chance)
    likelihood = log_likelihood(
        onto, logits.flatten(0, 1), facts[rows].flatten(0, 1), propagated=True
    )
    return -likelihood.unflatten(0, rows.shape).mean(dim=1)


def _parts(n: int, members: int, seed: int) -> tuple[Tensor, Tensor]:
    """The rows that each network is taught, and those held out from it, (M, ...); of few, it sees all of them."""
    rows = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    if n < 2 * PARTS:
        both = rows.expand(members, n)
        return both, both
    size = n // PARTS
    starts = [size * (member % PARTS) for member in range(members)]
    held = torch.stack([rows[start : start + size] for start in starts])
    taught = torch.stack([torch.cat([rows[:start], rows[start + size :]]) for start in starts])
    return taught, held
