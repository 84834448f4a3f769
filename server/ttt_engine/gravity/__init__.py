"""Knowledge of boards with gravity."""
