"""The commands that look after a campaign."""
