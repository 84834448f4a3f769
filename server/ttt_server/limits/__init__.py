"""How much may be asked for."""
