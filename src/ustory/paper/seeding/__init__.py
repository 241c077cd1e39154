"""New stories from articles that no story took (Alg. 1, l. 10 to 14)."""
