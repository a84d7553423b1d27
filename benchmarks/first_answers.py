"""Suite `first_answers`: share of items predicted right after the first picks of a campaign on texts."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.logic.errors import CorollaryError

from . import Missing

#: After how many answers a model is trained.
TRAININGS = (0, 25, 50, 75, 100, 150, 200, 300)
#: The share of the items by which one model may predict worse than the one before.
NOISE = 0.01


def of_campaign(*, domains: int | None, wrong: float, fallible: bool, seed: int) -> dict[str, Any]:
    """Items of CLINC150's test part, picks answered from the truth: share predicted right, model by model."""
    onto, texts, worlds, kind = data(domains)
    rng = np.random.default_rng(seed)
    leaves = [
        [label for label, holds in zip(onto.labels, world, strict=True) if holds]
        for world in worlds
    ]
    settings = {
        "encoder": "static",
        "pick": "always",
        "retrain_every": 10**6,
        "fallible": fallible,
        "seed": seed,
    }
    truth, shares = worlds[kind], dict[str, float]()
    answered, last = 0, 0.0
    falls = [0.0]
    with tempfile.TemporaryDirectory() as folder, Campaign.create(
        Path(folder) / "c.sqlite", [{"id": str(n), "text": text} for n, text in enumerate(texts)], onto,
        name="clinc", settings=settings,
    ) as campaign:  # fmt: skip
        for wanted in TRAININGS:
            while answered < wanted:
                (asking,) = campaign.next("lead")
                is_it = kind[int(asking.item.id)]
                if rng.random() < wrong:
                    is_it = rng.integers(len(worlds))
                campaign.answer("lead", asking.item.id, None, leaves[is_it], lease=asking.id)
                answered += 1
            campaign.retrain(wait=True)
            share = float((campaign.state.session.predict() == truth).all(axis=1).mean())
            falls.append(last - share)
            shares[f"{wanted} answers: right"], last = round(share, 4), share
    return shares | {
        "largest fall": round(max(falls), 4),
        "targets": {"largest fall": ("at most", NOISE)},
    }


def data(domains: int | None) -> tuple[co.Ontology, list[str], np.ndarray, np.ndarray]:
    """Ontology, texts, the legal labellings, and which of them each item has; of the first domains, or of all.

    Of some domains, exactly one intent holds; with all of them, that may be none.
    """
    try:
        dataset = co.load_dataset("clinc150")
    except CorollaryError as error:
        raise Missing(str(error)) from None
    onto, rows = dataset.onto, np.flatnonzero(dataset.test)
    Y = dataset.Y[rows]
    if domains is not None:
        found = {
            name: intents.split()
            for name, intents in re.findall(r"^(\w+) > ([^>]*?)(?=\n\w+ >|\Z)", str(onto), re.M)
        }
        names = list(found)[:domains]
        lines = [
            f"exactly one: {', '.join(names)}",
            *(f"{name} > exactly one: {' '.join(found[name])}" for name in names),
        ]
        onto = co.Ontology.parse("\n".join(lines))
        Y = Y[:, [dataset.onto.index[label] for label in onto.labels]]
        rows, Y = rows[Y.any(axis=1)], Y[Y.any(axis=1)]
    worlds, kind = np.unique(Y, axis=0, return_inverse=True)
    return onto, [str(text) for text in dataset.X[rows]], worlds, kind.ravel()


def _case(**how: Any) -> Callable[[], dict[str, Any]]:
    case = partial(of_campaign, **how)
    case.__doc__ = (
        f"{of_campaign.__doc__} {', '.join(f'{name} {value}' for name, value in how.items())}"  # type: ignore[misc]
    )
    return case


CASES = {
    "all intents, seed 0": _case(domains=None, wrong=0.0, fallible=False, seed=0),
    "all intents, seed 1": _case(domains=None, wrong=0.0, fallible=False, seed=1),
    "five domains, seed 0": _case(domains=5, wrong=0.0, fallible=False, seed=0),
    "two domains, seed 0": _case(domains=2, wrong=0.0, fallible=False, seed=0),
    "five domains, 5 % wrong, fallible": _case(domains=5, wrong=0.05, fallible=True, seed=0),
}
