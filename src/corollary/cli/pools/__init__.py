"""The commands on pools that are larger than memory."""
