"""Nouns and contracts: the words every other part of the house uses."""
