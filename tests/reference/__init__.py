"""The paper, definition by definition: what the fast engine is held against."""
