"""ustory: reads a stream of news and tells the stories in it."""
