"""Threats on wide boards: what each free cell would make, kept move by move, and proofs of wins."""
