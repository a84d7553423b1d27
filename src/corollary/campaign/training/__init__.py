"""Trainings of a campaign: when, in which process, on what machine, and what is kept of them."""
