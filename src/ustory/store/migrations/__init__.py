"""Every step from an empty database to the newest schema; none is ever changed."""
