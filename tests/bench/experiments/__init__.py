"""Tests of experiments share small streams and a way to run jobs in one process."""
