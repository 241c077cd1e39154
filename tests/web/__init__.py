"""The service answers as its document says, whatever it is asked."""
