"""Articles from feeds: when each is read, how a document of it is parsed."""
