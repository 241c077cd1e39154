"""Tests of comparisons share systems whose scores can be told by hand."""
