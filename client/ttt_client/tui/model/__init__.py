"""The state of the full screen, and the meaning of its keys. Pure."""
