"""A package, so that one of this name that others install (small-text does) is not taken for it."""
