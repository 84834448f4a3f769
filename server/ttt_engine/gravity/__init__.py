"""Knowledge of boards on which marks fall."""
