"""A pool of items larger than memory: Parquet in, computed part by part on a Dask cluster, here or elsewhere."""

from .pool import Pool

__all__ = ["Pool"]
