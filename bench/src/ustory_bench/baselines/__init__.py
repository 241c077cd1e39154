"""Rival methods behind the same contract, from their papers and at their best."""
