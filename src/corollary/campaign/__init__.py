"""Campaigns: labelling projects with a durable log of answers, from which all else is derived."""
