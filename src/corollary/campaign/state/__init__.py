"""What follows from the log: what stands of each item, conflicts, second opinions, gold, the first questions."""
