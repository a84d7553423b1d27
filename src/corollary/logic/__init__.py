"""What must be true: labels, constraints, and everything that follows from them."""
