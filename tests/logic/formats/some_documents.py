"""Two small documents to write."""

from __future__ import annotations

from corollary.logic.language.notation import parse

ANIMALS = parse("animal > exactly one: bird, fish\nrule: flies >> bird")
TREE = parse("animal > bird, fish\nlabels: animal, bird, fish, stone")
