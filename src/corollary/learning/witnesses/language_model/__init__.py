"""A language model as a witness, over any endpoint that speaks as OpenAI's chat completions do."""
