"""`python -m ttt_server` is the command `ttt-server`."""

from ttt_server.cli.main import main

if __name__ == "__main__":
    main()
