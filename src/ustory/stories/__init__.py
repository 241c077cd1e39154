"""Stories for people: headline, keywords, days, sources, heat, and why, in words."""
