"""Articles from files: JSON Lines, tables, data sets, web archives, standard input."""
