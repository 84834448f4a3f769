"""Many servers on one PostgreSQL: whose room it is, and the way to its owner."""
