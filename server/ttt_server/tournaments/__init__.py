"""Running tournaments: their logs, the rooms of their games, and the people who take part.

Users know a tournament as an "event"; in the code that word means a numbered fact of a log. `rules`
is the pure part.
"""
