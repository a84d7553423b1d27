"""Webhooks.

Send answers, conflicts and models to other programs, signed, in order, until they are accepted.
"""
