"""The figures for a lead: progress, quality and forecast."""
