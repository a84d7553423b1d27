"""Prodigy: examples accepted or rejected, and choices."""
