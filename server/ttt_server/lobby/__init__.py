"""Where visitors find a room: the list of public rooms, and quick match."""
