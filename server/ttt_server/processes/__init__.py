"""Several processes that are one server: `--processes`.

A parent accepts, reads the first line of each request, and passes the connection to one of its
children, each a server of the cluster.
"""
