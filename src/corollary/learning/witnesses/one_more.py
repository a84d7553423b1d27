"""What one more reply about a choice would tell of the truth, given all that was said."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from ...logic.engines import Floats
from .groups.confusion import Confusion
from .groups.pooled_confusion import PooledConfusion

#: Probabilities looked at together.
AT_ONCE = 20_000_000


def information(chances: Floats, says: Floats) -> Floats:
    """I(reply; truth) in nats: options with these chances (N, D), and P(says c | it is d) of each (N or 1, D, C)."""
    said = (chances[:, None, :] @ says)[:, 0, :]
    given_truth = (chances * entr(says).sum(axis=2)).sum(axis=1)
    return np.asarray(np.maximum(entr(said).sum(axis=1) - given_truth, 0.0))


def one_more_reply(
    model: Confusion | PooledConfusion, posterior: Floats, witness: int | None
) -> Floats:
    """Return the information of one more reply about each item, of a witness or of anyone.

    0 after its reply.
    """
    chances = model.replies.chances(posterior)
    found = np.zeros(len(posterior))
    model.log_likelihood()  # finds the kinds of items in the light of all replies
    step = max(1, AT_ONCE // model.n**2)
    for first in range(0, len(posterior), step):
        items = slice(first, first + step)
        found[items] = information(chances[items], model.says(witness, items))
    if witness is not None:
        found[model.replies.item[model.replies.witness == witness]] = 0.0
    return found
