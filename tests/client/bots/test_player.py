import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.client.bots.programs import CHOOSES, FIRST, scripted
from tests.client.conftest import SEATS, build_room, build_update, build_welcome
from tests.client.library.test_room import WON, FakeSession, refusal, to_choose
from ttt_client.bots.player import BotPlayer, FinishedGame, OnFailure, PlayOptions
from ttt_client.bots.process import BotProcess, Reply
from ttt_client.library.room import Room
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.failures import BotFailed
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.messages import Update
from ttt_protocol.state import Mark

pytestmark = pytest.mark.slow


class Told:
    """What was reported."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.losses = 0
        self.cells: list[int] = []

    def failed(
        self, _room: str, failure: BotFailed, what_then: str, *, loses: bool = False
    ) -> None:
        self.failures.append(f"{failure}; {what_then}")
        self.losses += loses

    def moved(self, _room: str, cell: int, _reply: Reply, _round_trip_s: float | None) -> None:
        self.cells.append(cell)


async def game_of(
    command: list[str], session: FakeSession, options: PlayOptions, told: Told
) -> tuple[FinishedGame, dict[str, object]]:
    """Play a game that ends after the bot's first command; return that command."""
    program = BotProcess(command, BotProtocol.JSON)
    clock = {"X": 500, "O": 500, "running": "X"}
    session.hear(build_welcome(build_room(clock=clock)))
    async with Room(session).entered() as room:
        player = BotPlayer(room, program, options, told)
        playing = asyncio.create_task(player.play())
        command_sent = await session.commands.get()
        cell = command_sent.get("cell", 0)
        session.hear(build_update(build_room(moves=(cell,), outcome=WON)))
        finished = await playing
    await program.close()
    return finished, command_sent


async def test_it_plays_and_tells_its_thoughts_where_it_agrees() -> None:
    told = Told()
    code = "print('deep', file=sys.stderr)\nsay(0, reason=str(message['time_ms']), values={'0': 1})"
    options = PlayOptions(1000, shares_log=True)
    finished, sent = await game_of(scripted(code), FakeSession(), options, told)
    assert (finished.number, finished.seat, told.cells) == (1, Mark.X, [0])
    log = sent["log"]
    assert isinstance(log, dict)
    assert (log["reason"], log["values"], log["round_trip_ms"]) == ("500", {"0": 1}, 500.0)
    assert log["stderr"] == "deep"
    assert log["time_ms"] > 0


@pytest.mark.parametrize(
    ("command", "choice", "failures"),
    [
        (CHOOSES, "swap", []),
        (["false"], "stay", ["crashed: exit status 1; it stays in its seat"]),
    ],
)
async def test_it_chooses_in_an_opening_and_else_stays(
    command: list[str], choice: str, failures: list[str]
) -> None:
    session, told = FakeSession(), Told()
    session.hear(build_welcome(to_choose()))
    program = BotProcess(command, BotProtocol.JSON)
    async with Room(session).entered() as room:
        playing = asyncio.create_task(BotPlayer(room, program, PlayOptions(1000), told).play())
        sent = await session.commands.get()
        assert (sent["type"], sent["choice"]) == ("choose", choice)
        chosen = {"type": "chosen", "game": 1, "ply": 5, "seat": "X", "choice": choice}
        ended = {"type": "ended", "game": 1, "outcome": WON}
        session.hear(build_update(build_room(moves=(0, 1, 2, 3, 4), outcome=WON), chosen, ended))
        await playing
    await program.close()
    assert told.failures == failures


async def test_it_tells_nothing_otherwise() -> None:
    _, sent = await game_of(FIRST, FakeSession(), PlayOptions(1000), Told())
    assert sent == {"type": "play", "id": "1", "game": 1, "ply": 0, "cell": 0}


async def test_a_move_that_is_refused_for_the_moment_is_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ttt_client.bots.player._AGAIN_S", 0)
    session = FakeSession()
    session.hear(build_welcome(build_room()))
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        playing = asyncio.create_task(BotPlayer(room, program, PlayOptions(1000), Told()).play())
        first = await session.commands.get()
        session.hear(refusal(str(first["id"]), RefusalCode.RATE_LIMITED))
        again = await session.commands.get()
        assert again["cell"] == first["cell"]
        session.hear(build_update(build_room(moves=(0,), outcome=WON)))
        await playing
    await program.close()


async def test_a_move_that_is_refused_is_a_failure_and_not_the_end() -> None:
    session, told = FakeSession(), Told()
    session.hear(build_welcome(build_room()))
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        playing = asyncio.create_task(BotPlayer(room, program, PlayOptions(1000), told).play())
        first = await session.commands.get()
        session.hear(refusal(str(first["id"])))
        then = await session.commands.get()
        assert (then["type"], then["detail"]) == ("resign", "illegal: cell 0 was refused: no")
        session.hear(build_update(build_room(moves=(), outcome=WON)))
        await playing
    await program.close()


async def test_another_cell_is_played_once_after_a_refusal_and_then_the_game_resigned() -> None:
    session, told = FakeSession(), Told()
    session.hear(build_welcome(build_room()))
    options = PlayOptions(1000, OnFailure.RANDOM, chance=lambda: 0.0)
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        playing = asyncio.create_task(BotPlayer(room, program, options, told).play())
        first = await session.commands.get()
        session.hear(refusal(str(first["id"])))
        second = await session.commands.get()
        assert (second["type"], second["cell"]) == ("play", 1)
        session.hear(refusal(str(second["id"])))
        assert (await session.commands.get())["type"] == "resign"
        session.hear(build_update(build_room(moves=(), outcome=WON)))
        await playing
    await program.close()


async def test_after_a_refusal_because_the_game_went_on_the_next_turn_is_awaited() -> None:
    session, told = FakeSession(), Told()
    session.hear(build_welcome(build_room()))
    for fault in (RefusalCode.STALE_PLY, None):
        options = PlayOptions(1000, OnFailure.RANDOM, chance=lambda: 0.0)
        async with Room(session).entered() as room:
            program = BotProcess(FIRST if fault else scripted("say(9)"), BotProtocol.JSON)
            playing = asyncio.create_task(BotPlayer(room, program, options, told).play())
            first = await session.commands.get()
            session.hear(refusal(str(first["id"]), RefusalCode.STALE_PLY))
            session.hear(build_update(build_room(moves=(0,), outcome=WON)))
            await playing
        await program.close()
        session = FakeSession()
        session.hear(build_welcome(build_room()))


async def test_a_failure_resigns_with_its_name() -> None:
    told = Told()
    _, sent = await game_of(scripted("say(9)"), FakeSession(), PlayOptions(1000), told)
    assert sent["type"] == "resign"
    assert str(sent["detail"]).startswith("illegal: cell 9; legal were 0")
    assert told.failures[0].endswith("; the game is resigned")


async def test_or_plays_at_random() -> None:
    told = Told()
    options = PlayOptions(1000, OnFailure.RANDOM, shares_log=True, chance=lambda: 0.5)
    _, sent = await game_of(scripted("say(9)"), FakeSession(), options, told)
    assert (sent["type"], sent["cell"]) == ("play", 4)
    assert "random, for it was illegal" in str(sent["log"])
    assert told.failures[0].endswith("; cell 4 is played at random")


async def test_a_refused_rematch_is_offered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_client.bots.player._OFFER_AGAIN_S", 0)
    session = FakeSession()
    session.hear(build_welcome(build_room(outcome=WON)))
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        asking = asyncio.create_task(
            BotPlayer(room, program, PlayOptions(1000), Told()).ask_for_another()
        )
        await session.commands.get()
        session.hear(refusal("1", RefusalCode.NOT_ALLOWED))
        await session.commands.get()
        session.hear(build_update(build_room(number=2), {"type": "started", "game": 2}))
        await asking


@asynccontextmanager
async def after_a_game(session: FakeSession, **room: Any) -> AsyncIterator[BotPlayer]:
    session.hear(build_welcome(build_room(outcome=WON, **room)))
    async with Room(session).entered() as entered:
        yield BotPlayer(entered, BotProcess(FIRST, BotProtocol.JSON), PlayOptions(1000), Told())


OFFERED = {"type": "offered", "kind": "rematch", "seat": "X"}


@pytest.mark.parametrize(
    ("then", "is_wanted"),
    [
        (build_update(build_room(number=2), {"type": "started", "game": 2}), True),
        (build_update(build_room(outcome=WON)), False),
    ],
    ids=["agreed", "declined"],
)
async def test_another_game_is_offered_and_wanted_or_not(then: Update, *, is_wanted: bool) -> None:
    session = FakeSession()
    async with after_a_game(session) as player:
        asking = asyncio.create_task(player.is_wanted())
        await session.commands.get()
        session.hear(build_update(build_room(outcome=WON, offers={"rematch": "X"}), OFFERED))
        session.hear(then)
        assert await asking is is_wanted


async def test_no_answer_in_time_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_client.bots.player._OPPONENT_S", 0)
    async with after_a_game(FakeSession()) as player:
        assert not await player.is_wanted()


async def test_an_ai_is_not_asked_for_another() -> None:
    session = FakeSession()
    async with after_a_game(session, seats={"X": SEATS["ada"], "O": SEATS["rules"]}) as player:
        assert not await player.is_wanted()
    assert session.commands.empty()


async def test_a_running_game_is_wanted() -> None:
    session = FakeSession()
    session.hear(build_welcome(build_room()))
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        assert await BotPlayer(room, program, PlayOptions(1000), Told()).is_wanted()


async def test_the_game_of_an_absent_opponent_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_client.bots.player._CLAIM_AFTER_S", 0)
    session = FakeSession()
    bob = {"kind": "human", "id": "idb", "name": "bob", "connected": False}
    away = {"X": SEATS["ada"], "O": bob}
    settings = {"rules": {}, "grace_s": 0}
    session.hear(build_welcome(build_room(moves=(4,), settings=settings)))
    async with Room(session).entered() as room:
        program = BotProcess(FIRST, BotProtocol.JSON)
        playing = asyncio.create_task(
            BotPlayer(room, program, PlayOptions(1000, claims=True), Told()).play()
        )
        session.hear(build_update(build_room(moves=(4,), settings=settings, seats=away)))
        sent = await session.commands.get()
        assert (sent["type"], sent["game"]) == ("claim", 1)
        over = {"winner": "X", "reason": "abandonment", "line": None}
        session.hear(build_update(build_room(moves=(4,), outcome=over, seats=away)))
        assert (await playing).outcome.reason is Reason.ABANDONMENT
