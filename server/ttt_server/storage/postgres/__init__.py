"""The store in PostgreSQL, which several servers may share."""
