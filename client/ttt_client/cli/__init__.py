"""The programs: arguments in, an exit code out."""
