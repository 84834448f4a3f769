"""What the arguments of a command say to a room: the first command on a connection."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from ttt_client.model.options import seats_against, settings_of
from ttt_client.net.seat_tokens import SeatTokenFile, default_folder
from ttt_client.net.session import RoomSession
from ttt_protocol.commands import Join
from ttt_protocol.state import Mark, Role, RoomName, Token


def join_command(arguments: argparse.Namespace) -> Join:
    """What a player says who typed these arguments: the settings are those that were given."""
    seat = None if arguments.seat is None else Mark(arguments.seat)
    settings = settings_of(
        rules=arguments.rules,
        seats=None if arguments.vs is None else seats_against(arguments.vs, seat),
        clock=arguments.clock,
        public=False if arguments.private else None,
        hints=True if arguments.hints else None,
        password=arguments.password,
    )
    return given(name=arguments.name, settings=settings, seat=seat, password=arguments.password)


def watch_command(arguments: argparse.Namespace) -> Join:
    """What a spectator says who typed these arguments."""
    return given(
        name=arguments.name,
        settings=settings_of(seats=arguments.play, games=arguments.games),
        role=Role.SPECTATOR,
        password=arguments.password,
    )


def given(**fields: object) -> Join:
    """A join with the fields that are not None."""
    return Join.model_validate({key: value for key, value in fields.items() if value is not None})


@contextmanager
def remembered_session(
    arguments: argparse.Namespace, room: RoomName, join: Join
) -> Iterator[tuple[RoomSession, SeatTokenFile]]:
    """A player's place in a room, whose seat is remembered for as long as it may be there."""
    token = None if arguments.token is None else Token(arguments.token)
    server = arguments.server
    with SeatTokenFile(default_folder(), server.url, room, arguments.name) as memory:
        yield RoomSession(server.room_url(room), join, memory, given=token), memory
