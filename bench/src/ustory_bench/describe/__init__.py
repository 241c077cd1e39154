"""What a stream is like: its calendar, its stories, its words."""
