"""Themes of stories and articles, worked by hand."""
