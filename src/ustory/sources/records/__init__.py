"""One record: its fields, dates, id and problems, until it is an article."""
