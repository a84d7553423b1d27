"""Where a campaign is kept: the log of events and what it speaks of, in SQLite or PostgreSQL."""
