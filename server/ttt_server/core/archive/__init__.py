"""Logs from elsewhere, checked and made of imported games, and rooms as they are saved. Pure."""
