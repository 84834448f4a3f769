"""Counts and words, no policy."""
