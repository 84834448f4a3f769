"""The chat of members, their names, and how the host keeps order among them."""
