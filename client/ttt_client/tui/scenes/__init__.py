"""The scenes of the full screen: a room, the list of rooms, a recorded game."""
