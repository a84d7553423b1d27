"""What people said: campaigns whose answers live in a durable log; all else is derived from it."""
