"""Which story an article joins: similarity, confidence, assignment (Sec. 5)."""
