"""Tables and figures as data, and the pages made of them; no methods, no scores."""
