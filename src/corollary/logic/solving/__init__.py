"""Constraints as clauses, and what can be asked of clauses: reasons, clashes, SAT."""
