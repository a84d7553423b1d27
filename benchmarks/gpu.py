"""Suite `gpu`: posteriors and gain on one GPU, beside a plain copy of the same size; each case is checked first."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import corollary as co
from corollary.learning.session.options import grouped

from . import Missing, timed
from .logic import compiled, hierarchy, nell, tree

Figures = dict[str, Any]
#: How far a probability, or a gain, may be from what the engines say on the CPU in float64.
ERRORS = {"float32": 1e-4, "float64": 1e-10}


def gpu() -> Any:
    """PyTorch with a GPU, or what is missing."""
    try:
        import torch
    except ModuleNotFoundError:
        raise Missing("PyTorch is not installed here: make bench SUITE=gpu installs it") from None
    if not torch.cuda.is_available():
        raise Missing("there is no GPU here that PyTorch can use: nothing was measured")
    torch.manual_seed(0)
    return torch


def milliseconds(function: Callable[[], Any], runs: int = 20) -> float:
    """The median time between two events around a call, after three that do not count."""
    torch = gpu()
    for _ in range(3):
        function()
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    for start, end in events:
        start.record()
        function()
        end.record()
    torch.cuda.synchronize()
    return float(np.median([start.elapsed_time(end) for start, end in events]))


def largest_errors(onto: co.Ontology, logits: Any, *, gain: bool = False) -> Figures:
    """How far the posterior of these items, and their gain, are from the engines'; an error if that is too far."""
    from corollary import torch as ours

    torch = gpu()
    odds = logits.double().cpu().numpy()
    expected, _ = onto.marginals(odds)
    gains = onto.gain(1 / (1 + np.exp(-odds))) if gain else None
    figures: Figures = {}
    for name, most in ERRORS.items():
        given = logits.to(getattr(torch, name))
        found = {
            "posterior": np.abs(
                ours.marginals(onto, given)[0].double().cpu().numpy() - expected
            ).max()
        }
        if gains is not None:
            found["gain"] = np.abs(ours.gain(onto, given).double().cpu().numpy() - gains).max()
        for what, error in found.items():
            if not error <= most:
                raise AssertionError(
                    f"{what} in {name} is {error:.1e} from that of the engines, at most {most:.0e} will do"
                )
            figures[f"largest error of {what}, {name}"] = float(error)
    return figures


def measured(onto: co.Ontology, n_items: int, checked: int, *, gain: int = 0) -> Figures:
    """Posteriors of so many items, in float32, beside a copy; some are checked first, and some have their gain."""
    from corollary import torch as ours

    torch = gpu()
    logits = 3 * torch.randn(n_items, len(onto), device="cuda") - 1
    figures = {
        "GPU": torch.cuda.get_device_name(),
        "PyTorch": torch.__version__,
        "items": n_items,
        "labels": len(onto),
    }
    figures |= largest_errors(onto, logits[:checked], gain=bool(gain))
    figures["copy, ms"] = copy = milliseconds(partial(torch.empty_like(logits).copy_, logits))
    figures["posterior, ms"] = posterior = milliseconds(lambda: ours.marginals(onto, logits))
    figures["posterior, speed of a copy"] = copy / posterior
    figures["posterior, items a second"] = 1e3 * n_items / posterior
    if gain:
        taken = milliseconds(lambda: ours.gain(onto, logits[:gain]), runs=5)
        figures["gain, items a second"] = 1e3 * gain / taken
    return figures


def on_a_tree(n_items: int, order: Callable[[list[str]], list[str]]) -> Figures:
    """A tree of 1,000 labels in some order, through the kernel; the kernel alone, and the passes in its place."""
    from corollary.torch.parts import parts_of

    torch = gpu()
    labels, constraints = tree(1_000)
    onto = compiled(order(labels), constraints)
    figures = measured(onto, n_items, 1_000, gain=n_items)
    logits = 3 * torch.randn(n_items, len(onto), device="cuda") - 1
    (part,) = parts_of(onto.reasoner.weighed, logits.device).parts
    posterior, log_z = torch.empty_like(logits), torch.zeros_like(logits[:, 0])
    figures["kernel alone, ms"] = alone = milliseconds(
        lambda: part.fill(logits, None, posterior, log_z)
    )
    figures["kernel alone, speed of a copy"] = figures["copy, ms"] / alone
    known = torch.full(logits.shape, -1, dtype=torch.int8, device="cuda")
    figures["kernel alone, with facts, ms"] = milliseconds(
        lambda: part.fill(logits, known, posterior, log_z)
    )
    part.kernel = None
    figures["passes in PyTorch, ms"] = milliseconds(
        lambda: part.fill(logits, None, posterior, log_z), runs=5
    )
    return figures


def tree_in_order() -> Figures:
    """Posterior of 100,000 items x 1,000 labels, a tree with exclusive siblings, labels from the top down."""
    targets = dict.fromkeys(
        ("posterior, speed of a copy", "kernel alone, speed of a copy"), ("at least", 0.35)
    )
    return {**on_a_tree(100_000, list), "targets": targets}


def tree_shuffled() -> Figures:
    """The same with the labels in no order."""
    rng = np.random.default_rng(0)
    return on_a_tree(100_000, lambda labels: [labels[k] for k in rng.permutation(len(labels))])


def nell_ontology() -> Figures:
    """NELL's own ontology (271 labels, a diagram): posterior of 1,000,000 items, gain of 200,000."""
    figures = measured(compiled(*nell()), 1_000_000, 1_000, gain=200_000)
    return {**figures, "targets": {"posterior, items a second": ("at least", 5_000_000)}}


def imagenet() -> Figures:
    """ImageNet-21k (23,547 labels, a junction tree): posterior of 8,000 items, gain of 1,000."""
    onto = compiled(*hierarchy("wordnet_imagenet/imagenet21k_goog_hierarchy.tsv.gz"))
    figures = measured(onto, 8_000, 16, gain=1_000)
    return {**figures, "targets": {"posterior, items a second": ("at least", 50_000)}}


def field() -> Figures:
    """Training of a field on 200,000 items of 64 features, NELL's ontology: loss and slope once, and a whole fit."""
    from corollary.learning.learners.crf import CRF, LARGEST
    from corollary.torch.arrays import FieldLoss

    torch = gpu()
    os.environ["COROLLARY_THREADS"] = "2"
    onto = compiled(*nell())
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(200_000, 64)), 0.3 * rng.normal(size=(65, len(onto)))
    truth = onto.most_probable(1 / (1 + np.exp(-X @ weights[:-1])))
    facts = onto.propagate(
        np.where(rng.random(truth.shape) < 0.05, truth, -1)
    )  # a twentieth of the cells is told
    learner, counts = CRF(onto, at_most=len(X)), np.ones(len(X))
    learner.onto_ = onto
    slowly = learner._loss_of_weights(X[:20_000], facts[:20_000], counts[:20_000])  # noqa: SLF001
    slowly(weights)  # kernels are loaded
    (expected, _), seconds = timed(lambda: slowly(weights))
    device = torch.device("cuda")
    first = FieldLoss(
        onto, X[:20_000], facts[:20_000], counts[:20_000], largest=LARGEST, device=device
    )
    off = abs(first(weights)[0] / expected - 1)
    if not off < 1e-9:
        raise AssertionError(f"the loss is {off:.1e} from that on the CPU, at most 1e-9 will do")
    loss = FieldLoss(onto, X, facts, counts, largest=LARGEST, device=device)
    taken = milliseconds(lambda: loss(weights), runs=5)
    fitted, fit_seconds = timed(lambda: CRF(onto, at_most=len(X), device="cuda").fit(X, facts))
    return {
        "GPU": torch.cuda.get_device_name(),
        "items": len(X),
        "labels": len(onto),
        "of 20,000 items with 2 threads on the CPU, seconds": seconds,
        "of all on the GPU, ms": taken,
        "times faster, the CPU's time taken tenfold": 10 * seconds / (taken / 1e3),
        "whole fit on the GPU, seconds": fit_seconds,
        "loss after it": fitted.loss_,
        "targets": {"times faster, the CPU's time taken tenfold": ("at least", 20)},
    }


def scored(onto: co.Ontology, n_items: int, **options: Any) -> Figures:
    """All questions of a session scored anew, on the GPU and with 2 threads; what it asks then is compared."""
    torch = gpu()
    os.environ["COROLLARY_THREADS"] = "2"
    rng = np.random.default_rng(0)
    beliefs = 1 / (1 + np.exp(1 - 3 * rng.normal(size=(n_items, len(onto)))))
    figures: Figures = {"GPU": torch.cuda.get_device_name(), "items": n_items, "labels": len(onto)}
    asked = []
    for device, name in (("cpu", "2 threads on the CPU, seconds"), ("cuda", "GPU, seconds")):
        session = co.Session(onto, beliefs=beliefs, **grouped({"device": device, **options}))
        session.retrain()  # kernels are loaded
        figures[name] = min(timed(session.retrain)[1] for _ in range(3))
        asked.append([(question.item, question.label) for question in session.ask(100)])
        if device == "cuda":
            figures["posterior of all on the GPU, seconds"] = timed(
                lambda one=session: one.posterior
            )[1]
    if asked[0] != asked[1]:
        raise AssertionError("the first hundred questions are not those of the session on the CPU")
    figures["times faster"] = figures["2 threads on the CPU, seconds"] / figures["GPU, seconds"]
    return figures


def session_of_nell() -> Figures:
    """Every question of a session scored: 200,000 items, NELL's ontology, by the posterior."""
    return scored(compiled(*nell()), 200_000)


def session_of_nell_by_gain() -> Figures:
    """The same by the gain."""
    return scored(compiled(*nell()), 200_000, score="gain")


def session_of_a_tree() -> Figures:
    """Every question of a session scored: 50,000 items, a tree of 1,000 labels with exclusive siblings."""
    return scored(compiled(*tree(1_000)), 50_000)


CASES = {
    "tree": tree_in_order,
    "tree, shuffled": tree_shuffled,
    "nell": nell_ontology,
    "imagenet-21k": imagenet,
    "field": field,
    "session, nell": session_of_nell,
    "session, nell, gain": session_of_nell_by_gain,
    "session, tree": session_of_a_tree,
}
