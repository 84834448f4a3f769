import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.client.conftest import build_room, build_update, build_welcome
from ttt_client.library.errors import CommandRefused, RoomClosed
from ttt_client.library.room import Room
from ttt_client.net.dial import Rejected, Unreachable
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Reporter
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.messages import Hint, Message, Refused, Said
from ttt_protocol.state import Mark, OfferKind, Role, RoomState

WON = {"winner": "X", "reason": "resignation", "line": None}


class FakeSession:
    """A session whose messages the test gives, and whose commands it reads."""

    is_kept = True
    trouble = None

    def __init__(self) -> None:
        self.connected = True
        self.end_of_leave = Ending(0, "you left the room")
        self.commands: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._events: asyncio.Queue[Message | Note | Ending] = asyncio.Queue()

    def hear(self, *events: Message | Note | Ending) -> None:
        for event in events:
            self._events.put_nowait(event)

    async def send(self, command: str | bytes) -> None:
        if not self.connected:
            raise NotConnected
        self.commands.put_nowait(json.loads(command))

    async def round_trip_s(self) -> float:
        return 0.5

    def retry_now(self) -> None:
        """There is no pause."""

    async def leave(self) -> None:
        self.hear(self.end_of_leave)

    async def run(self, report: Reporter) -> Ending:
        while not isinstance(event := await self._events.get(), Ending):
            await report(event if isinstance(event, Note) else Heard("", event))
        return event


@asynccontextmanager
async def entered(session: FakeSession, **room: Any) -> AsyncIterator[Room]:
    session.hear(build_welcome(build_room(**room)))
    async with Room(session, notes.append).entered() as entered:
        yield entered


notes: list[Note] = []


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


Refuse = Callable[[str], Refused]


def refusal(id_: str, code: RefusalCode = RefusalCode.CELL_TAKEN) -> Refused:
    legal = (1, 2) if code is RefusalCode.CELL_TAKEN else None
    return Refused(command="play", code=code, reason="no", id=id_, legal=legal)


async def test_a_turn_is_yielded_once_and_a_move_waits_for_its_update(session: FakeSession) -> None:
    async with entered(session) as room:
        turns = room.turns()
        turn = await anext(turns)
        assert (turn.mark, turn.legal, turn.left_ms) == (Mark.X, tuple(range(9)), None)
        playing = asyncio.create_task(turn.play(4))
        sent = await session.commands.get()
        assert sent == {"type": "play", "id": "1", "game": 1, "ply": 0, "cell": 4}
        assert not playing.done()
        session.hear(build_update(build_room(moves=(4,))))
        await playing
        session.hear(build_update(build_room(moves=(4, 0))))
        assert (await anext(turns)).moves == (4, 0)
        session.hear(build_update(build_room(moves=(4, 0), outcome=WON)))
        with pytest.raises(StopAsyncIteration):
            await anext(turns)
        assert room.outcome is not None


async def test_the_same_position_after_a_takeback_is_a_turn_again(session: FakeSession) -> None:
    async with entered(session) as room:
        turns = room.turns()
        await anext(turns)
        session.hear(build_update(build_room(moves=(4,))), build_update(build_room()))
        assert (await anext(turns)).moves == ()


def to_choose(**changes: Any) -> RoomState:
    """A room in which X is to choose after five stones."""
    room = build_room(moves=(0, 1, 2, 3, 4), rules={"columns": 5, "rows": 5}, **changes)
    assert room.game is not None
    choices = Choice.STAY, Choice.SWAP
    waits: dict[str, Any] = {"turn": Mark.X, "choosing": Mark.X, "choices": choices}
    return replace(room, game=replace(room.game, **waits))


async def test_a_choice_is_a_turn_where_it_is_asked_for(session: FakeSession) -> None:
    session.hear(build_welcome(to_choose()))
    async with Room(session).entered() as room:
        turn = await anext(room.turns(choices=True))
        assert (turn.choices, turn.legal) == ((Choice.STAY, Choice.SWAP), ())
        choosing = asyncio.create_task(turn.choose("swap"))
        sent = await session.commands.get()
        assert (sent["type"], sent["ply"], sent["choice"]) == ("choose", 5, "swap")
        chosen = {"type": "chosen", "game": 1, "ply": 5, "seat": "X", "choice": "swap"}
        session.hear(build_update(build_room(moves=(0, 1, 2, 3, 4)), chosen))
        await choosing


async def test_who_asks_for_no_choices_stays(session: FakeSession) -> None:
    session.hear(build_welcome(to_choose()))
    async with Room(session).entered() as room:
        turns = room.turns()
        turning = asyncio.ensure_future(anext(turns))
        sent = await session.commands.get()
        assert sent["choice"] == "stay"
        session.hear(refusal(sent["id"], RefusalCode.STALE_PLY))
        session.hear(build_update(build_room(), {"type": "taken_back", "game": 1, "ply": 0}))
        assert (await turning).choices == ()


async def test_with_gravity_a_column_has_one_cell(session: FakeSession) -> None:
    rules = {"columns": 3, "rows": 4, "in_a_row": 3, "gravity": True}
    async with entered(session, rules=rules, moves=(9, 6)) as room:
        assert (await anext(room.turns())).legal == (3, 10, 11)


async def test_the_cells_that_the_server_names_are_legal(session: FakeSession) -> None:
    room = build_room(moves=(0, 1), rules={"columns": 9, "rows": 9, "variant": "ultimate"})
    assert room.game is not None
    session.hear(build_welcome(replace(room, game=replace(room.game, legal=(3, 4, 5)))))
    async with Room(session).entered() as entered:
        assert (await anext(entered.turns())).legal == (3, 4, 5)


async def test_a_refused_move_says_why_and_what_may_be_played(session: FakeSession) -> None:
    async with entered(session) as room:
        turn = await anext(room.turns())
        session.hear(refusal("1"))
        with pytest.raises(CommandRefused, match="cell_taken: no") as caught:
            await turn.play(0)
        assert caught.value.code is RefusalCode.CELL_TAKEN
        assert caught.value.legal == (1, 2)


async def test_a_move_is_sent_again_after_a_lost_connection(session: FakeSession) -> None:
    async with entered(session) as room:
        turn = await anext(room.turns())
        playing = asyncio.create_task(turn.play(4))
        first = await session.commands.get()
        session.hear(Note("lost", 1), build_welcome(build_room()))
        assert await session.commands.get() == first
        session.hear(build_update(build_room(moves=(4,))))
        await playing
    assert notes.pop() == Note("lost", 1)


async def test_a_move_without_a_connection_waits_for_the_next(session: FakeSession) -> None:
    async with entered(session) as room:
        turn = await anext(room.turns())
        session.connected = False
        playing = asyncio.create_task(turn.play(4))
        await asyncio.sleep(0)
        session.connected = True
        session.hear(build_welcome(build_room(moves=(4,))))
        await playing
        assert session.commands.empty()


async def test_the_fate_of_an_offer_is_unknown_after_a_lost_connection(
    session: FakeSession,
) -> None:
    async with entered(session) as room:
        offering = asyncio.create_task(room.offer("draw"))
        await session.commands.get()
        session.hear(Note("lost", 1))
        with pytest.raises(NotConnected):
            await offering
        session.connected = False
        with pytest.raises(NotConnected):
            await room.offer("draw")
    notes.clear()


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (lambda room: room.offer("draw"), {"type": "offered", "kind": "draw", "seat": "X"}),
        (lambda room: room.offer("rematch"), {"type": "started", "game": 2}),
        (lambda room: room.accept("takeback"), {"type": "taken_back", "game": 1, "ply": 0}),
        (
            lambda room: room.decline(OfferKind.DRAW),
            {"type": "declined", "kind": "draw", "seat": "X"},
        ),
        (lambda room: room.claim(), {"type": "ended", "game": 1, "outcome": WON}),
        (
            lambda room: room.fill("rules", 3),
            {
                "type": "seated",
                "seat": "O",
                "player": {
                    "kind": "ai",
                    "id": None,
                    "name": "rules",
                    "strategy": "rules",
                    "level": None,
                },
            },
        ),
    ],
)
async def test_a_command_is_done_with_its_event(
    session: FakeSession, command: Callable[[Room], Any], event: dict[str, Any]
) -> None:
    async with entered(session) as room:
        doing = asyncio.create_task(command(room))
        await session.commands.get()
        session.hear(
            build_update(
                build_room(), {"type": "played", "game": 1, "ply": 0, "seat": "X", "cell": 0}
            )
        )
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not doing.done()
        session.hear(build_update(build_room(outcome=event.get("outcome")), event))
        await doing


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda room: room.offer("tea"), "kind: must be one of draw, takeback, rematch"),
        (lambda room: room.say(""), "text: must have at least 1 character"),
        (lambda room: room.fill("rules", 10), "level: must be at most 9"),
        (lambda room: room.resign("x" * 1000), "detail: must have at most 200 characters"),
        (lambda room: room.play(1, 0, "b2"), "cell: must be a whole number"),
    ],
)
async def test_a_command_that_means_nothing_is_refused_and_not_sent(
    session: FakeSession, call: Callable[[Room], Awaitable[None]], reason: str
) -> None:
    async with entered(session) as room:
        with pytest.raises(CommandRefused) as caught:
            await call(room)
        assert (caught.value.code, caught.value.reason) == (RefusalCode.BAD_COMMAND, reason)
        assert session.commands.empty()


async def test_resigning_hints_and_chat(session: FakeSession) -> None:
    async with entered(session) as room:
        asking = asyncio.create_task(room.hint())
        hint = Hint(best=(4,), values={"4": 1}, reason="win")
        await session.commands.get()
        session.hear(hint)
        assert await asking is hint
        saying = asyncio.create_task(room.say("hello"))
        assert (await session.commands.get())["text"] == "hello"
        session.hear(Said(name="me", role=Role.PLAYER, text="hello"))
        await saying
        resigning = asyncio.create_task(room.resign("crashed"))
        assert (await session.commands.get())["detail"] == "crashed"
        session.hear(build_update(build_room(outcome=WON)))
        await resigning
        assert await room.round_trip_s() == 0.5


async def test_a_hint_that_the_game_overtook_is_refused(session: FakeSession) -> None:
    async with entered(session) as room:
        asking = asyncio.create_task(room.hint())
        await session.commands.get()
        played = {"type": "played", "game": 1, "ply": 0, "seat": "X", "cell": 4}
        session.hear(build_update(build_room(moves=(4,)), played))
        with pytest.raises(CommandRefused, match="the position is another one by now"):
            await asking


async def test_an_offer_that_is_open_already_is_answered(session: FakeSession) -> None:
    async with entered(session, offers={"draw": "X"}) as room:
        offering = asyncio.create_task(room.offer("draw"))
        await session.commands.get()
        repeated = build_update(build_room(offers={"draw": "X"}))
        session.hear(repeated.model_copy(update={"events": ()}))
        await offering


async def test_a_closed_room_ends_every_wait(session: FakeSession) -> None:
    async with entered(session) as room:
        turn = await anext(room.turns())
        playing = asyncio.create_task(turn.play(4))
        await session.commands.get()
        session.hear(Ending(1, "another connection took this seat"))
        with pytest.raises(RoomClosed, match="another connection"):
            await playing
        with pytest.raises(RoomClosed):
            await turn.play(4)
        with pytest.raises(RoomClosed):
            _ = [turn async for turn in room.turns() if turn.moves]
        assert room.closed
        assert [state.name async for state in room.states()] == ["den"]


async def test_messages_and_states_come_in_order(session: FakeSession) -> None:
    async with entered(session) as room:
        messages, states = room.messages(), room.states()
        assert (await anext(states)).game is not None
        asking = asyncio.ensure_future(anext(messages))
        await asyncio.sleep(0)
        session.hear(update := build_update(build_room(moves=(4,))))
        assert await asking is update
        assert (await anext(states)).game == update.room.game
        asking = asyncio.ensure_future(anext(messages))
        await asyncio.sleep(0)
        await room.leave()
        with pytest.raises(StopAsyncIteration):
            await asking


async def test_a_leave_without_its_answer_is_an_error(session: FakeSession) -> None:
    session.end_of_leave = Ending(1, "the connection was lost before")
    async with entered(session) as room:
        with pytest.raises(NotConnected, match="lost before"):
            await room.leave()


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (Ending(4, "refused: full", RefusalCode.ROOM_FULL), CommandRefused),
        (Ending(4, "no such place"), Rejected),
        (Ending(3, "no answer"), Unreachable),
        (Ending(0), RoomClosed),
    ],
)
async def test_a_room_that_does_not_open(
    session: FakeSession, end: Ending, error: type[Exception]
) -> None:
    session.hear(end)
    with pytest.raises(error):
        async with Room(session).entered():
            pass


async def test_before_the_welcome_there_is_nothing_to_ask(session: FakeSession) -> None:
    room = Room(session)
    for ask in (lambda: room.state, lambda: room.you):
        with pytest.raises(RoomClosed):
            ask()
    assert room.outcome is None


async def test_before_the_first_game_there_is_nothing_to_resign(session: FakeSession) -> None:
    async with entered(session, o=None) as room:
        assert (room.seat, room.token, room.offered) == (Mark.X, "token-X", ())
        with pytest.raises(CommandRefused, match="game_not_started"):
            await room.resign()
