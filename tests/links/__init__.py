"""Tests of links; a package, so that they can share how a stream is run."""
