"""The page and the example on PyTorch, run as a reader would: make test does without PyTorch, so it cannot."""

from __future__ import annotations

import re

import torch

from ..docs.pages import ROOT, blocks
from ..examples.test_examples import run


def test_the_page_on_pytorch():
    torch.manual_seed(0)
    names = {}
    found = [
        block
        for block in blocks((ROOT / "docs/howto/pytorch.md").read_text(encoding="utf-8"))
        if block.text
    ]
    assert len(found) == 4
    for block in found:
        exec(block.text, names)
    assert torch.isfinite(names["logits"].grad).all()
    bird, fish, animal = (
        names["probabilities"][:, names["onto"].index[x]] for x in ("bird", "fish", "animal")
    )
    assert (bird + fish <= animal + 1e-6).all()
    assert names["question"].label in names["onto"]


def test_partial_labels(tmp_path):
    told = run("partial_labels", tmp_path)
    broken = [int(n) for n in re.findall(r"(\d+) of 1000 break the rules", told)]
    assert broken[0] > 0
    assert broken[1:] == [0, 0]
    right = [int(n) for n in re.findall(r"all right: (\d+)%", told)]
    assert right[2] > right[0]
    apart, together = (float(x) for x in re.findall(r"the truth costs ([\d.]+) nats", told))
    assert together < 0.8 * apart
