"""Strategies of others, to be held against ours with the same learner: which item next, or which cell."""
