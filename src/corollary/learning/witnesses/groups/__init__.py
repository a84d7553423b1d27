"""Replies about a group of labels of which one holds."""
