"""The service: accepts articles, computes slides and stores the results."""
