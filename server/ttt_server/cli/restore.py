"""`ttt-server restore`: a data folder as it was at the time of a backup."""

from datetime import UTC, datetime
from pathlib import Path

from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, tell, warn
from ttt_server.cli.data import add_folder, config_of, require_folder
from ttt_server.config.options import Config
from ttt_server.endpoints.control import SOCKET
from ttt_server.rooms.tokens import write_secret
from ttt_server.storage import DATABASE
from ttt_server.storage.sqlite.backup import require_backup, unpack
from ttt_server.storage.sqlite.opening import one_line, sync_folder
from ttt_server.storage.sqlite.preflight import Unfit, require_free

PROGRAM = "ttt-server restore"

_DESCRIPTION = """Make a data folder as it was at the time of a backup. A server that is started on
it then goes on with all rooms and with the same tokens. No server may run on the folder."""

_KEPT = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "secret")


@command(PROGRAM)
def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = CommandParser(PROGRAM, _DESCRIPTION)
    parser.option("file FILE", "a backup made by `ttt-server backup`", type=Path)
    parser.flag("--replace", "move a database that is there already to a folder beside it")
    add_folder(parser)
    asked = parser.parse_args(arguments)
    config = config_of(asked)
    require_folder(config, "pg_restore goes on from what pg_dump made")
    has_secret = restore(config, asked.file, replace=asked.replace)
    if not has_secret and config.secret is None:
        words = "start the server with the TTT_SECRET that was in use when the backup was made"
        warn(PROGRAM, f"the backup has no secret: {words}")
    return tell(PROGRAM, f"{config.data} is as it was in {asked.file}")


def restore(config: Config, file: Path, *, replace: bool) -> bool:
    """Fill the data folder from a backup; return whether the backup has the secret.

    The database comes last, in one step: a kill leaves no half of it.

    Raises:
        CannotOpen: with one line for the operator.
    """
    folder = config.data
    with one_line(file):
        require_backup(file)
    with one_line(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_way(folder, replace=replace)
        aside = folder / f"{DATABASE}.new"
        aside.unlink(missing_ok=True)
        secret = unpack(file, aside)
        if secret is not None:
            write_secret(folder / "secret", secret)
        aside.replace(folder / DATABASE)
        sync_folder(folder)
    return secret is not None


def _make_way(folder: Path, *, replace: bool) -> None:
    """Move existing files to a folder beside the data folder.

    Raises:
        Unfit: if a server runs, or something is there and may not be moved.
    """
    there = [folder / name for name in _KEPT if (folder / name).exists()]
    if (folder / DATABASE).exists():
        require_free(folder / DATABASE)
    if not there:
        return
    if not replace:
        raise Unfit("there is a database already; --replace moves it to a folder beside it")
    before = folder / f"before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    before.mkdir(mode=0o700)
    for file in there:
        file.rename(before / file.name)
    (folder / SOCKET).unlink(missing_ok=True)
    sync_folder(folder)
