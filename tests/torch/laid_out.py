"""Engines on random ontologies beside what PyTorch makes of them."""

from __future__ import annotations

import numpy as np
import torch

import corollary as co

from ..logic.ontologies import worlds
from .forests import random_facts

CPU = torch.device("cpu")
PRECISIONS = {torch.float64: 1e-10, torch.float32: 1e-4}


def cases(seed, count, kind, of, n_items=6):
    """Engines of one kind on random ontologies, with log-odds and propagated facts of their variables."""
    rng = np.random.default_rng(seed)
    while count:
        labels, constraints = of(rng)
        if not len(worlds(labels, constraints)):
            continue
        onto = co.Ontology(labels, constraints)
        for service in onto.reasoner.weighed.services:
            if isinstance(service.engine, kind) and count:
                first = [members[0] for members in service.members]
                known = np.ascontiguousarray(
                    onto.propagate(random_facts(rng, onto, n_items))[:, first]
                )
                odds = rng.choice(
                    [rng.normal(0, 3, known.shape), rng.choice([-300.0, 0.0, 300.0], known.shape)]
                )
                yield service.engine, odds, known
                count -= 1


def check_is_the_engine(laid_out, engine, odds, known):
    """Posterior, log Z and both, with the facts and without any, in both precisions."""
    variables = laid_out.variables
    settled = np.abs(odds.T[variables]) > 80  # where `both` is of no matter
    for given in (known, None):
        found = engine.infer(odds, np.full_like(known, -1) if given is None else given, both=True)
        states = None if given is None else torch.from_numpy(given.T[variables].copy())
        for dtype, error in PRECISIONS.items():
            ours = laid_out.infer(torch.tensor(odds.T[variables], dtype=dtype), states, both=True)
            np.testing.assert_allclose(
                ours.posterior, found.posterior.T[variables], rtol=0, atol=error
            )
            np.testing.assert_allclose(ours.log_z, found.log_z, rtol=error, atol=error)
            both = found.both.T[variables]
            np.testing.assert_allclose(
                np.where(settled, 0, ours.both), np.where(settled, 0, both), rtol=0, atol=error
            )


def check_slope(laid_out, odds, known):
    """What the posterior does where the odds go some way is what it does in small steps."""
    own = torch.from_numpy(np.clip(odds, -5, 5).T[laid_out.variables].copy())
    for states in (torch.from_numpy(known.T[laid_out.variables].copy()), None):

        def posterior(x, states=states):
            return laid_out.infer(x, states).posterior

        way = torch.randn_like(own)
        _, slope = torch.func.jvp(posterior, (own,), (way,))
        either = (posterior(own + 1e-6 * way) - posterior(own - 1e-6 * way)) / 2e-6
        torch.testing.assert_close(slope, either, rtol=0, atol=1e-7)
