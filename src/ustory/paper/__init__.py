"""The paper's method: themes, embeddings, assignment and new stories (Algorithm 1)."""
