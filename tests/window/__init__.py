"""Tests of time, terms and summaries."""
