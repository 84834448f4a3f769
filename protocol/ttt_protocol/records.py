"""What is read over plain HTTP and is no message: a game to replay."""

from ttt_protocol.events import Event
from ttt_protocol.state import BySeat, Player, RoomName, Rules, Told


class GameRecord(Told):
    """One game of a room, to replay it. `events`: those of the game, in the order of `seq`."""

    room: RoomName
    game: int
    """Its number in the room."""
    rules: Rules
    seats: BySeat[Player | None]
    """Who played it; null for one who gave the seat up."""
    events: tuple[Event, ...]
