"""Novelty-aware adaptive clustering: similarity, confidence, assignment, seeds."""
