"""Representations of articles and stories, worked by hand."""
