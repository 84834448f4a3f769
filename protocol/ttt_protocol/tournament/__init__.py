"""The protocol of `/ws/events/{event}`: settings, commands and messages of a tournament."""
