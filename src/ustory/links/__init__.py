"""Links between articles: how likely two tell one story, and what they form."""
