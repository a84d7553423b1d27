"""Figures of runs, of beliefs and of ontologies: each is drawn on matplotlib axes, which are returned."""

from .calibration import reliability
from .labels import ontology
from .runs import curves

__all__ = ["curves", "ontology", "reliability"]
