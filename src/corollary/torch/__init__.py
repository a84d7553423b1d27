"""The posterior as layers and losses of PyTorch: on CPU, CUDA and whatever else it serves, with exact gradients."""

try:
    import torch as _torch  # noqa: F401  # a missing PyTorch is reported here, before any other error
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError(
        "corollary.torch needs torch: pip install 'corollary[torch]'", name="torch"
    ) from missing

from .functions import gain, log_likelihood, marginals, most_probable
from .layer import Consistent

__all__ = ["Consistent", "gain", "log_likelihood", "marginals", "most_probable"]
