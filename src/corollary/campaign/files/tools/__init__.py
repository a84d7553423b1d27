"""Files of other people's tools: what was said in them, and what was said here for them."""
