"""The words of `/ws/events/{event}`: a tournament's settings, commands and messages."""
