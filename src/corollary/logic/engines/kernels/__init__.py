"""The inner loops of the engines, one module an engine, compiled by numba."""
