"""People who come back: they keep a name, on every device."""
