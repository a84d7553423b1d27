"""The one way in: who is calling (sign-in), what they may do, how much of it (rate limits)."""
