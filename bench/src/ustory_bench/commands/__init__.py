"""The commands `ustory bench`, `describe`, `load` and `simulate`."""
