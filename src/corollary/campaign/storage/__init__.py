"""The storage of a campaign: its log, items, ontologies and people, in SQLite or PostgreSQL."""
