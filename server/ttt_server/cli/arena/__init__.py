"""`ttt-server arena`: strategies against each other, without a network."""
