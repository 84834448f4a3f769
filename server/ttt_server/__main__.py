"""The command `ttt-server`, which is `python -m ttt_server` too."""

from ttt_server.cli.interrupts import exit_on_interrupt


def main() -> None:
    """Run `ttt-server`."""
    exit_on_interrupt()
    from ttt_server.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
