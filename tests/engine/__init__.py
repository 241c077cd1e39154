"""Tests of the engine; a package, so that they can use the streams of tests/paper."""
