"""Standard input and output as lines."""
