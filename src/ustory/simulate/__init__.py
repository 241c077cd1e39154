"""Labelled synthetic streams, as hard and as large as you like."""
