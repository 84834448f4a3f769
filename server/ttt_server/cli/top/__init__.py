"""`ttt-server top`: how a server does, at a glance, from its `/metrics`.

`command` reads the arguments, fetches and waits; `figures` makes figures of the metrics, and shows
them.
"""
