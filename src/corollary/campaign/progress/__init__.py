"""What a lead looks at: how far, how good, how much longer."""
