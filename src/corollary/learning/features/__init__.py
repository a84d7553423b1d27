"""What learners learn from: tables, text and targets as matrices, the spaces in which fields are linear."""
