"""What members say, what they are called, and how the host keeps order among them."""
