"""Tests of fetching; a package, so that they can share a server and its feeds."""
