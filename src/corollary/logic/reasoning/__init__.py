"""What follows from facts and constraints, why, and whether two ontologies mean the same."""
