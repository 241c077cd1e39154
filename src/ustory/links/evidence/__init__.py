"""Evidence that two articles report one story: one file each."""
