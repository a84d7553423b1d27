"""The session in memory: ask, answer, retract, retrain, save."""
