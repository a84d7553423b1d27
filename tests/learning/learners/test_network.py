"""What a network is asked for wrongly; that it learns is tried where PyTorch is: tests/torch/test_networks.py."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import corollary as co
from corollary.learning.learners.network import Network

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
X, FACTS = np.zeros((4, 2)), np.full((4, 3), -1, np.int8)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"members": 0}, "members must be a whole number"),
        ({"hidden": 1.5}, "hidden must be a whole number"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to below 1"),
        ({"rate": "fast"}, "rate must be"),
        ({"device": 3}, "device must be the name of one"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, told):
    with pytest.raises(co.CorollaryError, match=told):
        Network(ONTO, **settings).fit(X, FACTS)


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed here")
def test_without_pytorch_it_says_what_to_install():
    with pytest.raises(ImportError, match=r"pip install 'corollary\[torch\]'"):
        Network(ONTO).fit(X, FACTS)
