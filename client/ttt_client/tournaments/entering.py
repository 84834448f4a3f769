"""The roles in events that this machine remembers: players and organisers."""

from collections.abc import Iterator
from contextlib import contextmanager

from ttt_client.net.address import ServerAddress
from ttt_client.net.event_session import EventSession
from ttt_client.net.person_tokens import recall_person
from ttt_client.net.seat_tokens import SeatTokenFile, default_folder
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.commands import Enter
from ttt_protocol.tournament.settings import TournamentName

ORGANISER = "organiser"


def event_tokens(server: ServerAddress, event: TournamentName, whose: str) -> SeatTokenFile:
    """Return the token file of a player of that name in an event, or of the `ORGANISER`."""
    place = RoomName(f"event/{event}")  # no room has a name with a slash
    return SeatTokenFile(default_folder(), server.url, place, whose)


@contextmanager
def player_session(
    server: ServerAddress, event: TournamentName, name: str, *, is_bot: bool = False
) -> Iterator[EventSession]:
    """Open a player's session in an event, with its token file."""
    with event_tokens(server, event, name) as tokens:
        person = None if is_bot else recall_person(server)
        known = {} if person is None else {"person": person}
        first = Enter.model_validate({"name": name, "bot": is_bot, **known})
        yield EventSession(server.socket(f"events/{event}"), first, tokens)
