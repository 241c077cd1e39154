"""The pages that people look at: one file a page, over the same data as the API."""
