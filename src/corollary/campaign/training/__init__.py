"""Trainings of a campaign: when and where models are trained, and how they are kept."""
