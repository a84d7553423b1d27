"""Access to the server: sign-in, roles and rate limits."""
