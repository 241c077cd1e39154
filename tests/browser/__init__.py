"""The pages in a real browser: they are driven, looked at and attacked."""
