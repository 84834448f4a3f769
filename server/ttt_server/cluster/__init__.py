"""Many servers on one PostgreSQL: which server owns a room, and how to reach it."""
