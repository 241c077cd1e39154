"""States as bytes."""
