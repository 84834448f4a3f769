"""What is known of a board on which marks fall."""
