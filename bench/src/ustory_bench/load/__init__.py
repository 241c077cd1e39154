"""Articles at a rate, against an engine or a service, and what it bears."""
