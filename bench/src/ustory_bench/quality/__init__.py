"""Measures how the settings that the paper leaves open change the stories found."""
