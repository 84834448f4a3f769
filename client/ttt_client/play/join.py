"""Turn the arguments of a command into a `join`, and open its session."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ttt_client.model.options import seats_against, settings_of
from ttt_client.net.address import ServerAddress
from ttt_client.net.person_tokens import recall_person
from ttt_client.net.seat_tokens import SeatTokenFile, default_folder
from ttt_client.net.session import RoomSession
from ttt_client.play.both import SharedSession
from ttt_client.play.recordings import FileRecordings, Recordings, ServerRecordings
from ttt_protocol.commands import Join, Seek
from ttt_protocol.state import Mark, Role, RoomName, Token


def join_command(arguments: argparse.Namespace) -> Join:
    """Return the `join` of a player, with only those settings that the arguments give."""
    seat = None if arguments.seat is None else Mark(arguments.seat)
    settings = settings_of(
        rules=arguments.rules,
        seats=None if arguments.vs is None else seats_against(arguments.vs, seat),
        clock=arguments.clock,
        days=arguments.days,
        public=False if arguments.private else None,
        hints=True if arguments.hints else None,
        rated=True if arguments.rated else None,
        delay_s=arguments.delay,
        start=arguments.start,
        opening=arguments.opening,
        password=arguments.new_password,
    )
    return given(name=arguments.name, settings=settings, seat=seat, password=arguments.password)


def seek_command(arguments: argparse.Namespace) -> Seek:
    """Return the search for a player who wants the same board, clock and opening."""
    wanted = {
        "rules": arguments.rules,
        "clock": arguments.clock,
        "opening": arguments.opening,
    }
    return Seek.model_validate({key: value for key, value in wanted.items() if value is not None})


def watch_command(arguments: argparse.Namespace) -> Join:
    """Return the `join` of a spectator."""
    return given(
        name=arguments.name,
        settings=settings_of(
            rules=arguments.rules,
            seats=arguments.play,
            games=arguments.games,
            opening=arguments.opening,
        ),
        role=Role.SPECTATOR,
        password=arguments.password,
    )


def given(**fields: object) -> Join:
    """Return a `join` with those fields that are not None."""
    return Join.model_validate({key: value for key, value in fields.items() if value is not None})


def as_person(server: ServerAddress, join: Join) -> Join:
    """Return a `join` as this user's person on the server, if the name is kept there."""
    person = recall_person(server)
    fields = {name: getattr(join, name) for name in join.model_fields_set}
    return join if person is None or join.bot else given(**fields, person=person)


@contextmanager
def remembered_session(
    server: ServerAddress,
    room: RoomName,
    join: Join,
    token: str | None = None,
    *,
    is_second: bool = False,
) -> Iterator[RoomSession]:
    """Open a player's session with the file that remembers the seat under the player's name.

    `token` is the one that the user gave, if any; it comes before a remembered one. `is_second`:
    the other player at this keyboard, who is a guest.
    """
    if not is_second:
        join = as_person(server, join)
    with SeatTokenFile(default_folder(), server.url, room, join.name) as tokens:
        given_token = None if token is None else Token(token)
        yield RoomSession(server.socket(f"rooms/{room}"), join, tokens, given=given_token)


@contextmanager
def shared_session(
    server: ServerAddress, room: RoomName, join: Join, second: str
) -> Iterator[SharedSession]:
    """Open the session of two people at one keyboard, with the files that remember their seats."""
    second_join = given(name=second, password=join.password)
    with (
        remembered_session(server, room, join) as one,
        remembered_session(server, room, second_join, is_second=True) as other,
    ):
        yield SharedSession(one, other)


def recordings_of(
    server: ServerAddress, source: RoomName | Path, arguments: argparse.Namespace
) -> Recordings:
    """Return the games of a file; or of a room, with the token of the player's seat.

    The token is the one that is given, or remembered.
    """
    if isinstance(source, Path):
        return FileRecordings(source)
    token = arguments.token
    if token is None:
        token = SeatTokenFile(default_folder(), server.url, source, arguments.name).peek()
    return ServerRecordings(server, source, token)
