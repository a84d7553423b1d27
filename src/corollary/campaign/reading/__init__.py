"""What people and leads look up in a campaign, and whether the log gives what is in memory."""
