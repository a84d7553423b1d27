"""Suite `published`: how well learners predict five hierarchies on their official splits, beside published figures.

The area under the precision-recall curve of all cells of the test part together (micro-averaged, as average precision),
roots of the Gene Ontology left out as in those papers. What networks choose from was settled on parts held out of these
training parts; no other setting was chosen on these data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.learner import make_learner
from corollary.learning.learners.pool import Pool, default_members
from corollary.logic.errors import CorollaryError

from . import Missing, machine, timed

#: From Giunchiglia and Lukasiewicz (2020), Coherent hierarchical multi-label classification networks, which also has
#: those of HMCN-F (Wehrmann, Cerri and Barros, 2018) and of ensembles of CLUS-HMC (Schietgat et al., 2010).
PUBLISHED = {
    "hmc_cellcycle_fun": {"C-HMCNN(h)": 0.255, "HMCN-F": 0.252, "CLUS-HMC, ensemble": 0.227},
    "hmc_cellcycle_go": {"C-HMCNN(h)": 0.413, "HMCN-F": 0.400, "CLUS-HMC, ensemble": 0.387},
    "hmc_diatoms": {"C-HMCNN(h)": 0.758, "HMCN-F": 0.530, "CLUS-HMC, ensemble": 0.501},
    "hmc_enron": {"C-HMCNN(h)": 0.756, "HMCN-F": 0.724, "CLUS-HMC, ensemble": 0.696},
    "hmc_imclef07d": {"C-HMCNN(h)": 0.927, "HMCN-F": 0.920, "CLUS-HMC, ensemble": 0.881},
}
#: Where the posterior takes too long to train by: each label keeps one parent, and the others are heeded afterwards.
AS_TREE = {"hmc_cellcycle_go"}


def predicted(name: str, learner: str) -> dict[str, Any]:
    """Area under the micro-averaged precision-recall curve of one learner, and the seconds of its training."""
    try:
        data = co.load_dataset(name)
    except CorollaryError as error:
        raise Missing(str(error)) from None
    above = _above(data.onto)
    counted = above.any(axis=1) if name in AS_TREE else np.ones(len(data.onto), bool)
    onto = _as_tree(data.onto, above, data.Y[data.train]) if name in AS_TREE else data.onto
    model = LEARNERS[learner](onto, data.X)
    facts = np.where(data.train[:, None], data.Y, np.int8(-1))
    _, seconds = timed(lambda: model.fit(data.X, facts))
    posterior = onto.posterior(model.predict_proba(data.X[data.test]))
    if name in AS_TREE:  # no label is likelier than any above it
        posterior = np.stack(
            [posterior[:, [k, *np.flatnonzero(above[k])]].min(axis=1) for k in range(len(onto))],
            axis=1,
        )
    area = average_precision_score(
        data.Y[data.test][:, counted].ravel(), posterior[:, counted].ravel()
    )
    best = PUBLISHED[name]["C-HMCNN(h)"]
    return {
        "area": round(float(area), 4),
        "on": _place(learner),
        "seconds of training": round(seconds, 1),
        **PUBLISHED[name],
        "targets": {"area": ("at least", best)},
    }


def _above(onto: co.Ontology) -> npt.NDArray[np.bool_]:
    """Which labels follow from each (K, K), without itself."""
    alone = np.full((len(onto), len(onto)), -1, np.int8)
    np.fill_diagonal(alone, 1)
    above = onto.propagate(alone) == 1
    np.fill_diagonal(above, False)
    return above


def _as_tree(
    onto: co.Ontology, above: npt.NDArray[np.bool_], known: npt.NDArray[np.int8]
) -> co.Ontology:
    """The ontology with one parent for each label, of those that follow from it the one that the fewest items have."""
    have = known.sum(axis=0) - 1e-6 * above.sum(axis=1)  # of equal ones the lowest
    parents = {
        k: int(np.where(row, have, np.inf).argmin()) for k, row in enumerate(above) if row.any()
    }
    labels = onto.labels
    return co.Ontology(
        labels, [co.implies(labels[k], labels[parent]) for k, parent in parents.items()]
    )


def _network(onto: co.Ontology, _: Any) -> Any:
    try:
        import torch
    except ModuleNotFoundError:
        raise Missing(
            "PyTorch is not installed here: make bench SUITE=published installs it"
        ) from None
    from corollary.learning.learners.network import Network

    return Network(onto, device="cuda" if torch.cuda.is_available() else "cpu")


def _pool_with_network(onto: co.Ontology, X: Any) -> Any:
    return Pool(onto, members=[("network", _network(onto, X)), *default_members(onto, X)])


def _place(learner: str) -> str:
    if "network" not in learner:
        return machine()
    import torch

    return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else machine()


LEARNERS: dict[str, Callable[[co.Ontology, Any], Any]] = {
    "field": lambda onto, _: CRF(onto),
    "pool": lambda onto, _: make_learner("pool", onto=onto, random_state=0),
    "network": _network,
    "pool with networks": _pool_with_network,
}


def _case(name: str, learner: str) -> Callable[[], dict[str, Any]]:
    case = partial(predicted, name, learner)
    case.__doc__ = predicted.__doc__
    return case


CASES = {f"{name}, {learner}": _case(name, learner) for name in PUBLISHED for learner in LEARNERS}
