"""Tournaments as they run: their logs, the rooms of their games, and the people who take part.

On the wire and on the page a tournament is called an event; in the code that word is taken by the
numbered facts of a log. `rules` is the pure part.
"""
