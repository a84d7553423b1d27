"""What items and labels say: encoders that turn text and pictures into vectors, and how like labels items are."""
