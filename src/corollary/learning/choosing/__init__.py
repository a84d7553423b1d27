"""Which question next: scores, what a question is worth, the queue of questions, the best of all items."""
