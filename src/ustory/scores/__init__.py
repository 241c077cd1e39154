"""Labels in, scores out: how well found stories match the true ones."""
