"""Temporal themes: the keywords that say what a story is about now (Def 2)."""
