"""The state that follows from the log: current labels, conflicts, second opinions, gold."""
