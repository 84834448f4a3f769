"""The terminal client: it draws what the server tells it, and knows no rules of the game."""
