"""Values and functions: the view of a room, and typed words. Pure."""
