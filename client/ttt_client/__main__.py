"""The command `ttt-client`, which is `python -m ttt_client` too."""

import sys

from ttt_client.cli.interrupts import exit_on_interrupt


def main() -> int:
    """Run `ttt-client` and return its exit code."""
    exit_on_interrupt()
    from ttt_client.cli.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
