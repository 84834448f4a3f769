"""The embedded store: SQLite with group commit."""
