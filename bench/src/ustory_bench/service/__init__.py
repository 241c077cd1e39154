"""What the service bears: a large archive, a burst of articles, many listeners."""
