"""Runs experiments: streams prepared, jobs in processes, files of the report."""
