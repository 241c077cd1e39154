"""The documentation is true, and the house is in order."""
