"""The command line of `ttt-client`: arguments in, an exit code out."""
