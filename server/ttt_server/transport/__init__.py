"""Bytes to messages and back; no module here knows rooms."""
