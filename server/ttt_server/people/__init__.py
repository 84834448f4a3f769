"""People who come back: a name that one keeps, on every device."""
