"""What people write: formulas, constraints, and the text format both ways."""
