"""Webhooks: other programs are told of answers, conflicts and models, signed, in order and again until they take it."""
