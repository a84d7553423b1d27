"""What is probably true, and what to ask: learners, scores and the session."""
