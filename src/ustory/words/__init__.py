"""Runs of text between spaces, numbered and remembered, for text and encoders."""
