"""Stories out: the API, its events, feeds, exports and webhooks."""
