"""Witnesses: people, models and rules that say something of cells, and count by how far they prove right."""
