"""What the learner remembers, and how it is trained."""
