"""Tests of ustory; a package, so that tests can share what they check against."""
