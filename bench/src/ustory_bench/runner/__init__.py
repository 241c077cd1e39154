"""Runs systems side by side on labelled streams: jobs, cells, scores, tuning."""
