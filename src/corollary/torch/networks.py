"""Small networks under the posterior, several at once: features and facts in as arrays, scores out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from ..logic.engines import Facts, Floats
from ..logic.ontology import Ontology
from .functions import log_likelihood

#: Each network holds one of so many parts of the items out, another one each, to see when it has learnt enough.
PARTS = 10
#: Items whose scores are worked out at once.
ITEMS_AT_ONCE = 8192


@dataclass(frozen=True)
class Training:
    """How networks are trained: by Adam, until the items held out gain nothing for some epochs."""

    members: int
    hidden: int
    dropout: float
    epochs: int
    patience: int
    batch: int
    rate: float
    decay: float


class Members(nn.Module):  # type: ignore[misc]  # PyTorch is not there where types are checked
    """Networks of two hidden layers side by side: (M, N, F) in, logits (M, N, K) out."""

    def __init__(self, n_features: int, n_labels: int, how: Training, seed: int):
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        self.dropout = nn.Dropout(how.dropout)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        widths = (n_features, how.hidden, how.hidden, n_labels)
        for wide, out in pairwise(widths):
            weights = torch.randn((how.members, wide, out), generator=chance) * (2.0 / max(1, wide)) ** 0.5
            self.weights.append(nn.Parameter(weights))
            self.biases.append(nn.Parameter(torch.zeros(how.members, 1, out)))
        self.weights[-1].data *= 0.1  # at the start all legal labellings are about as likely

    def forward(self, features: Tensor) -> Tensor:
        for weights, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            features = self.dropout(torch.relu(torch.baddbmm(bias, features, weights)))
        return torch.baddbmm(self.biases[-1], features, self.weights[-1])


def trained(
    onto: Ontology, features: Tensor, known: Facts, how: Training, *, device: torch.device, seed: int
) -> Members:
    """Networks that were each trained to make the known facts likely; `known` is propagated."""
    features, facts = features.to(device), torch.from_numpy(known).to(device)
    members: Members = Members(features.shape[1], len(onto), how, seed).to(device)
    best = {name: value.detach().clone() for name, value in members.named_parameters()}
    taught, held = (rows.to(device) for rows in _parts(len(known), how.members, seed))
    adam = torch.optim.Adam(members.parameters(), lr=how.rate, weight_decay=how.decay)
    chance = torch.Generator(device).manual_seed(seed)
    torch.manual_seed(seed)  # of the dropout
    least = torch.full((how.members,), torch.inf, device=device)
    since = torch.zeros(how.members, dtype=torch.int64, device=device)
    for _ in range(how.epochs):
        members.train()
        order = taught.gather(1, torch.rand(taught.shape, generator=chance, device=device).argsort(dim=1))
        for rows in order.split(how.batch, dim=1):
            adam.zero_grad(set_to_none=True)
            _losses(onto, members, features, facts, rows).sum().backward()
            adam.step()
        members.eval()
        with torch.no_grad():
            found = torch.stack(
                [_losses(onto, members, features, facts, rows) * rows.shape[1] for rows in held.split(1024, dim=1)]
            ).sum(dim=0)
            better = found < least
            since = torch.where(better, 0, since + 1)
            least = torch.where(better, found, least)
            for name, value in members.named_parameters():
                best[name] = torch.where(better[:, None, None], value.detach(), best[name])
        if bool((since >= how.patience).all()):
            break
    members.load_state_dict(best, strict=False)
    members.eval()
    return members


def scores(members: Members, features: Tensor, *, device: torch.device) -> Floats:
    """The mean logits of the networks (N, K)."""
    out = []
    with torch.no_grad():
        for some in features.split(ITEMS_AT_ONCE):
            each = members(some.to(device).expand(len(members.weights[0]), *some.shape))
            out.append(each.mean(dim=0).double().cpu().numpy())
    return np.concatenate(out) if out else np.empty((0, members.biases[-1].shape[-1]))


def _losses(onto: Ontology, members: Members, features: Tensor, facts: Tensor, rows: Tensor) -> Tensor:
    """Less the mean log-likelihood of the facts, of each network on rows of its own (M, B)."""
    logits = members(features[rows])
    likelihood = log_likelihood(onto, logits.flatten(0, 1), facts[rows].flatten(0, 1), propagated=True)
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
