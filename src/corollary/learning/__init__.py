"""Probable labels, and the next question: learners, scores and the session."""
