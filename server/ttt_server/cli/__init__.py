"""The programs: arguments in, an exit status out."""
