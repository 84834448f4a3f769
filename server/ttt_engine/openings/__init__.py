"""Fair openings: who places stones, and who chooses what."""
