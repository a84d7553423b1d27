"""Everything that people look up in a campaign, and the check of its state against the log."""
