"""Logs for stores to keep."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ttt_protocol.codec import EncodedEvents, decode_log, encode_log
from ttt_protocol.codes import Reason
from ttt_protocol.events import (
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Offered,
    Played,
    Seated,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    Ai,
    Human,
    Mark,
    OfferKind,
    Outcome,
    RoomName,
    SessionId,
    Settings,
)
from ttt_server.storage.base import EventStore, Snapshot
from ttt_server.storage.sqlite.store import answer

DEN, LAIR = RoomName("den"), RoomName("lair")


@dataclass(eq=False)
class Written:
    """An `Append` that calls whatever it is given."""

    room: RoomName
    seq: int
    lines: EncodedEvents
    snapshot: Snapshot | None
    then: Callable[[Exception | None], None]


def events(first: int, last: int) -> tuple[Event, ...]:
    """Events from number `first` to `last`: what they say is nothing to a store."""
    return tuple(Left(seq=seq, at=seq, seat=Mark.X) for seq in range(first, last + 1))


EVERY_KIND: tuple[Event, ...] = (
    Created(seq=1, at=1, settings=Settings(grace_s=1.5)),
    Seated(seq=2, at=2, seat=Mark.X, player=Human(id=SessionId("ada1"), name="Ädä 😀")),
    Seated(seq=3, at=3, seat=Mark.O, player=Ai(name="rules", strategy="rules", level=None)),
    Started(seq=4, at=4, game=1),
    Played(seq=5, at=5, game=1, ply=0, seat=Mark.X, cell=4),
    Played(seq=6, at=6, game=1, ply=1, seat=Mark.O, cell=0, reason="corner"),
    Offered(seq=7, at=7, kind=OfferKind.TAKEBACK, seat=Mark.O),
    Declined(seq=8, at=8, kind=OfferKind.TAKEBACK, seat=Mark.X),
    TakenBack(seq=9, at=9, game=1, ply=0),
    Ended(seq=10, at=10, game=1, outcome=Outcome(winner=Mark.X, reason=Reason.TIMEOUT)),
    Left(seq=11, at=2**53, seat=Mark.O),
)


def append(
    store: EventStore,
    room: RoomName,
    log: tuple[Event, ...],
    snapshot: Snapshot | None = None,
) -> asyncio.Future[None]:
    """Done when the events are kept; it may be awaited, or left."""
    kept = asyncio.get_running_loop().create_future()
    then = partial(answer, kept)
    store.append([Written(room, log[0].seq, encode_log(log), snapshot, then)])
    return kept


async def load(store: EventStore, room: RoomName) -> tuple[Event, ...]:
    """The whole log, as far as it is kept."""
    return decode_log((await store.load(room, 0)).lines)
