"""Fair openings: the stones that a side puts down, and the choices of the sides."""
