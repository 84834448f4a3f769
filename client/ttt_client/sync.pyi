from collections.abc import Iterator
from contextlib import AbstractContextManager

from ttt_client.library.room import OnNote
from ttt_client.net.session import TokenStore
from ttt_protocol.codes import Choice
from ttt_protocol.messages import Hint, Message
from ttt_protocol.records import GameRecord
from ttt_protocol.state import (
    ClockSetting,
    GivenSettings,
    Mark,
    MoveLog,
    OfferKind,
    Outcome,
    RoomState,
    Rules,
    Summary,
    Token,
    You,
)

class SyncTurn:
    game: int
    mark: Mark
    rules: Rules
    board: str
    moves: tuple[int, ...]
    legal: tuple[int, ...]
    left_ms: int | None
    choices: tuple[Choice, ...]
    def play(self, cell: int, log: MoveLog | None = None) -> None: ...
    def choose(self, choice: Choice | str) -> None: ...
    def resign(self) -> None: ...
    def hint(self) -> Hint: ...

class SyncWatchedRoom:
    state: RoomState
    you: You
    outcome: Outcome | None
    closed: bool
    def states(self) -> Iterator[RoomState]: ...
    def messages(self) -> Iterator[Message]: ...
    def say(self, text: str) -> None: ...
    def round_trip_s(self) -> float: ...
    def leave(self) -> None: ...

class SyncRoom(SyncWatchedRoom):
    seat: Mark | None
    token: Token | None
    offered: tuple[OfferKind, ...]
    def turns(self, *, choices: bool = False) -> Iterator[SyncTurn]: ...
    def resign(self, detail: str | None = None) -> None: ...
    def offer(self, kind: OfferKind | str) -> None: ...
    def accept(self, kind: OfferKind | str) -> None: ...
    def decline(self, kind: OfferKind | str) -> None: ...
    def claim(self) -> None: ...
    def fill(self, strategy: str, level: int | None = None) -> None: ...
    def hint(self) -> Hint: ...

def join(
    server: str,
    room: str,
    *,
    name: str = "guest",
    seat: Mark | str | None = None,
    token: str | TokenStore | None = None,
    password: str | None = None,
    settings: GivenSettings | None = None,
    bot: bool = False,
    on_note: OnNote | None = None,
) -> AbstractContextManager[SyncRoom]: ...
def watch(
    server: str,
    room: str,
    *,
    name: str = "guest",
    password: str | None = None,
    settings: GivenSettings | None = None,
    on_note: OnNote | None = None,
) -> AbstractContextManager[SyncWatchedRoom]: ...
def quick_match(
    server: str,
    *,
    name: str = "guest",
    rules: str = "3x3x3",
    clock: ClockSetting | None = None,
    ai: bool = False,
    bot: bool = False,
    on_note: OnNote | None = None,
) -> AbstractContextManager[SyncRoom]: ...
def lobby(server: str, *, on_note: OnNote | None = None) -> Iterator[tuple[Summary, ...]]: ...
def history(server: str, room: str, *, token: str | None = None) -> Iterator[GameRecord]: ...
def rooms(server: str) -> tuple[Summary, ...]: ...
