"""The network: addresses, one connection, a session over many, seat tokens."""
