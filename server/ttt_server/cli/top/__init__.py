"""`ttt-server top`: how a server does, at a glance, from its `/metrics`.

`command` reads the arguments, fetches and waits; `readings` makes figures of the metrics; `screen`
writes them.
"""
