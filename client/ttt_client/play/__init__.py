"""A stay in a room or the lobby: messages and typed lines in order."""
