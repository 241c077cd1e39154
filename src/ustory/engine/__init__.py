"""Algorithm 1: slides in, stories and events out."""
