"""Ask strategies, here or in a worker process."""
