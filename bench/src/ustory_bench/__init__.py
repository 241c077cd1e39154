"""The laboratory: baselines, experiments, simulated streams, benchmarks and reports.

It depends on `ustory`, and `ustory` never imports it: its commands and systems are
found through entry points.
"""
