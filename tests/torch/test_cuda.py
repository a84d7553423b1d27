"""Kernels where there is no GPU are not there; where there is one, those that do not compile are told."""

from __future__ import annotations

import pytest
import torch

from corollary.torch import cuda


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_there_are_no_kernels():
    assert not cuda.is_there()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_what_does_not_compile_is_told():
    assert cuda.is_there()
    with pytest.raises(
        RuntimeError, match=r"forest_kernel.cu does not compile with .*-DREAL=nothing"
    ):
        cuda.Kernel("forest_kernel.cu", torch.device("cuda"), {"REAL": "nothing"})
