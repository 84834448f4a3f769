"""Counting and logging."""
