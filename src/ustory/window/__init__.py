"""Time, terms and summaries: what the engine remembers of the window."""
