"""What can be asked for and sent, one file for each kind of thing."""
