"""The view of a room, and typed words. Pure."""
