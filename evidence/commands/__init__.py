"""The commands of `python -m evidence`."""
