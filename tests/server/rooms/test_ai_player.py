import asyncio
import itertools
import logging
from random import Random
from typing import NoReturn

import pytest

from tests.server.examples import (
    ADA,
    DRAW,
    DRAWN,
    NAME,
    NOW,
    REMATCH,
    TAKEBACK,
    O,
    X,
    after,
    against_ai,
    decided,
    duel,
    founded,
    moved,
    offered,
    seated,
)
from tests.server.fakes import Failing, FragileStore, Silent
from tests.server.hubs import AI_IN_O, AI_IN_X, TWO_AIS, Hubs, changed, join_room, spectate
from ttt_protocol.codes import Opening
from ttt_protocol.commands import Leave, Offer, Play, Resign
from ttt_protocol.events import Played
from ttt_protocol.state import Ai, AiSetting, ClockSetting, GivenSettings, Rules, SeatSettings
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.core.decide import PlayerCommand
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.room import Room, game_of
from ttt_server.rooms import ai_player
from ttt_server.rooms.ai_player import AiPlayer, has_work
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom

AIS = SeatSettings(X=AiSetting(strategy="random"), O=AiSetting(strategy="random"))


@pytest.mark.parametrize(
    ("room", "is_due"),
    [
        (duel(), False),
        (against_ai(), False),
        (against_ai(4), True),
        (after(against_ai(4), ADA, Resign(game=1)), False),
        (founded(seats=AIS), True),
        (moved(founded(seats=AIS), *DRAWN), False),
        (moved(founded(seats=AIS, games=2), *DRAWN), True),
    ],
)
def test_whether_it_is_the_rooms_turn(room: Room, is_due: bool) -> None:
    assert has_work(room) == is_due


MINIMAX = SeatSettings(O=AiSetting(strategy="minimax", level=9))
WIDE = Rules(columns=4, rows=3, in_a_row=3)


def reply_to(room: Room, command: PlayerCommand) -> Decision:
    room = evolve_all(room, decided(room, ADA, command))
    return ai_player.answer(StrategyRunner(1, Random(0)), room)


def move(room: Room, cell: int) -> Play:
    game = game_of(room)
    return Play(game=game.number, ply=game.ply, cell=cell)


def test_an_ai_replies_at_once() -> None:
    room = against_ai()
    (played,) = reply_to(room, move(room, 0))
    assert isinstance(played, Played)
    assert (played.seq, played.seat, played.ply, played.cell) == (room.seq + 2, O, 1, 4)
    assert (played.reason, played.at) == ("depth 8, 0", NOW)


def test_a_reply_may_end_the_game() -> None:
    room = against_ai(0, 4, 1, 2, 3)
    room = moved(room, 5)
    events = reply_to(room, move(room, 8))
    assert [event.type for event in events] == ["played", "ended"]


def test_an_ai_begins_the_rematch_at_once() -> None:
    room = after(against_ai(0, 4), ADA, Resign(game=1))
    (played,) = reply_to(room, Offer(kind=REMATCH))
    assert isinstance(played, Played)
    assert (played.game, played.ply, played.seat) == (2, 0, X)


@pytest.mark.parametrize(
    ("room", "command"),
    [
        (duel(), Play(game=1, ply=0, cell=4)),
        (against_ai(), Resign(game=1)),
        (against_ai(4, 0), Offer(kind=TAKEBACK)),
        (against_ai(0, 3, 1, 4), Play(game=1, ply=4, cell=2)),  # that ends it
        (against_ai(4), Offer(kind=DRAW)),  # which is answered first
        (seated(founded(seats=MINIMAX, pace_s=0.5), ADA), Play(game=1, ply=0, cell=4)),
        (seated(founded(seats=MINIMAX, rules=WIDE), ADA), Play(game=1, ply=0, cell=4)),
        (
            seated(founded(seats=SeatSettings(O=AiSetting(strategy="search"))), ADA),
            Play(game=1, ply=0, cell=4),
        ),
    ],
)
def test_where_there_is_nothing_to_reply_at_once(room: Room, command: PlayerCommand) -> None:
    assert reply_to(room, command).events == ()


def test_between_the_moves_of_two_ais_others_are_heard() -> None:
    room = founded(seats=AIS)
    assert room.ai_to_move is X
    assert ai_player.answer(StrategyRunner(1, Random(0)), room).events == ()


async def idle(hub: Hub) -> None:
    """Waits until no room does anything by itself."""
    while hub._tasks._running:
        await asyncio.wait(hub._tasks._running, timeout=10)


async def test_an_ai_answers(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await ada.ear.learns("played", 2)
    answer = ada.ear.events[-1]
    assert (answer["seat"], answer["ply"], answer["reason"]) == ("O", 1, "random")
    await idle(hub)
    assert ada.member.live.room.ai_to_move is None


async def test_an_ai_begins(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_X)
    await ada.ear.learns("played")
    assert ada.ear.events[-1]["seat"] == "X"
    assert ada.you["seat"] == "O"


async def test_a_whole_game_and_the_rematch(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    room = ada.member.live.room
    while room.game is not None and room.game.outcome is None:
        await ada.plays(room.game.position.legal_moves[0])
        await idle(hub)
        room = ada.member.live.room
    await ada.says(Offer(kind=REMATCH))
    await ada.ear.until(lambda ear: ear.kinds[-1] == "played" and ear.events[-1]["game"] == 2)
    assert ada.ear.events[-1]["seat"] == "X", "the AI has changed sides"


async def test_an_ai_that_fails_forfeits(hubs: Hubs) -> None:
    hub = hubs.open(runner=Failing())
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await ada.ear.learns("ended")
    assert ada.ear.events[-1]["outcome"] == {"winner": "X", "reason": "forfeit", "line": None}
    assert ada.ear.events[-1]["detail"] == "random failed"
    assert ada.ear.of("update")[-1]["room"]["score"]["X"] == 1


async def test_a_series_changes_sides_and_ends(hub: Hub) -> None:
    settings = GivenSettings(
        seats=SeatSettings(X=AiSetting(strategy="random"), O=AiSetting(strategy="rules")),
        games=5,
        pace_s=0,
    )
    eve = await spectate(hub, settings=settings)
    await eve.ear.learns("ended", 5)
    await idle(hub)
    assert eve.ear.kinds.count("started") == 4, "the first is in the welcome"
    started = [
        update["room"]
        for update in eve.ear.of("update")
        if "started" in [event["type"] for event in update["events"]]
    ]
    names = [room["seats"]["X"]["name"] for room in started]
    assert names == ["rules", "random", "rules", "random"]
    score = eve.ear.of("update")[-1]["room"]["score"]
    assert sum(score.values()) == 5
    assert [event["seq"] for event in eve.ear.events] == list(range(5, 5 + len(eve.ear.events)))


async def test_a_series_goes_on_after_a_forfeit(hubs: Hubs) -> None:
    hub = hubs.open(runner=Failing(ply=1))
    eve = await spectate(hub, settings=TWO_AIS.model_copy(update={"games": 2}))
    await eve.ear.learns("ended", 2)
    assert eve.ear.kinds == ["played", "ended", "started", "played", "ended"]


async def test_a_move_is_not_made_in_a_game_that_has_moved_on(hubs: Hubs) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await runner.asked.wait()
    await ada.says(Offer(kind=TAKEBACK))
    runner.may_speak.set()
    await idle(hub)
    assert ada.ear.kinds == ["played", "offered", "taken_back"]
    await ada.plays(8)
    await ada.ear.learns("played", 3)
    assert ada.ear.events[-1]["ply"] == 1


async def test_a_player_leaves_while_the_ai_thinks(hubs: Hubs) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await runner.asked.wait()
    await ada.says(Leave())
    bob = await join_room(hub, "bob")
    await bob.plays(0)
    runner.may_speak.set()
    await bob.ear.learns("played", 2)
    assert [event["cell"] for event in bob.ear.events] == [0, 1]
    assert bob.ear.events[-1]["game"] == 2


async def test_the_pace_is_kept(hub: Hub) -> None:
    settings = TWO_AIS.model_copy(update={"pace_s": 0.03})
    eve = await spectate(hub, settings=settings)
    loop = asyncio.get_running_loop()
    heard = len(eve.ear.messages)
    times: list[float] = []
    eve.ear.on_send = lambda: times.append(loop.time())
    await eve.ear.learns("played", 4)
    moves = [
        time
        for time, message in zip(times, eve.ear.messages[heard:], strict=True)
        if message["type"] == "update"
    ]
    pauses = [later - earlier for earlier, later in itertools.pairwise(moves)]
    assert min(pauses) >= 0.028


async def test_while_the_store_fails_the_ai_tries_again(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ai_player, "RETRY_S", 0)
    store = FragileStore()
    hub = hubs.open(store, runner=Silent())
    assert isinstance(hub.joining.runner, Silent)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    store.failures = 2
    hub.joining.runner.may_speak.set()
    await ada.ear.learns("played", 2)
    assert hub.log.is_healthy
    waits = [record for record in caplog.records if "the AI will try again" in record.getMessage()]
    assert len(waits) == 2
    assert all(record.exc_info is None for record in waits)


async def test_a_fault_of_ours_is_logged_and_the_next_event_wakes_the_ai(
    hubs: Hubs, caplog: pytest.LogCaptureFixture
) -> None:
    runner = Failing(error=RuntimeError)
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await idle(hub)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.records[0].exc_info is not None
    runner.ply = 9
    await ada.says(Offer(kind=TAKEBACK))
    await ada.plays(4)
    await ada.ear.learns("played", 3)


async def test_a_forgotten_room_thinks_no_more(hubs: Hubs) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner, room_idle_s=0.001)
    eve = await spectate(hub, settings=TWO_AIS)
    await runner.asked.wait()
    eve.exits()
    await changed(hub, lambda: not hub.registry.all)
    await idle(hub)
    assert not hub._ai_player._at_work


async def test_one_task_a_room(hubs: Hubs) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await join_room(hub, token=ada.token)
    await spectate(hub)
    assert len(hub._tasks._running) == len(hub._ai_player._at_work) == 1
    assert O is ada.member.live.room.ai_to_move


async def test_an_ai_that_is_to_move_as_its_task_ends_has_another(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = AiPlayer._work

    async def look_too_early(*_: object) -> None:
        monkeypatch.setattr(AiPlayer, "_work", work)

    monkeypatch.setattr(AiPlayer, "_work", look_too_early)
    ada = await join_room(hub, settings=AI_IN_X)
    await ada.ear.learns("played")


async def test_a_room_that_is_forgotten_as_its_task_ends_has_no_other(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work: list[LiveRoom] = []
    may_end = asyncio.Event()

    async def end_and_forget(_: AiPlayer, live: LiveRoom) -> None:
        at_work.append(live)
        await may_end.wait()
        may_end.clear()
        asyncio.get_running_loop().call_soon(hub.eviction._forget, live)

    monkeypatch.setattr(AiPlayer, "_work", end_and_forget)
    eve = await spectate(hub, settings=TWO_AIS)
    eve.exits()
    may_end.set()
    for _ in range(9):
        await asyncio.sleep(0)
    assert not hub.registry.all
    assert at_work == [eve.member.live]


async def test_what_is_kept_when_all_was_closed_begins_nothing(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store, runner=Silent())
    clock = ClockSetting(initial_s=60)
    ada = await join_room(hub, settings=AI_IN_O.model_copy(update={"clock": clock}))
    store.hold()
    moving = asyncio.create_task(ada.plays(4))
    await store.next_write()
    await hub.close()
    store.gate.set()
    await moving
    assert ada.ear.kinds == ["played"]
    assert not hub._tasks._running
    assert not ada.member.live.timers._handles


async def test_closing_ends_what_rooms_do_by_themselves(hubs: Hubs) -> None:
    hub = hubs.open(runner=Silent())
    await spectate(hub, settings=TWO_AIS)
    ada = await join_room(hub, room="lair")
    ada.exits()
    await hub.close()
    assert not hub._tasks._running
    assert not any(live.timers._handles for live in hub.registry.all)


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ((4,), "ended"),  # X is to move, and nobody wins
        ((0,), "ended"),  # X wins
        ((1, 2), "declined"),  # O wins
        ((3, 6), "declined"),
    ],
)
async def test_an_ai_agrees_to_a_draw_unless_it_is_better(
    hubs: Hubs, cells: tuple[int, ...], answer: str
) -> None:
    hub = hubs.open(runner=Failing(ply=9))
    ada = await join_room(hub, settings=AI_IN_O)
    for cell in cells:
        await ada.plays(cell)
        await idle(hub)
    await ada.says(Offer(kind=DRAW))
    await idle(hub)
    assert ada.ear.kinds[-2:] == ["offered", answer]
    room = ada.member.live.room
    assert room.offers.draw is None
    if answer == "ended":
        assert ada.ear.events[-1]["outcome"]["reason"] == "agreement"
    else:
        assert ada.ear.events[-1]["seat"] == "O"
        await ada.says(Offer(kind=DRAW))
        await idle(hub)
        assert ada.ear.kinds[-2:] == ["offered", "declined"], "it may be asked again"


@pytest.mark.parametrize(
    ("cells", "kinds"), [((4,), ["offered", "ended"]), ((1, 2), ["offered", "declined", "played"])]
)
async def test_what_is_offered_while_the_ai_thinks_is_answered_before_it_moves(
    hubs: Hubs, cells: tuple[int, ...], kinds: list[str]
) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    for cell in cells:
        runner.may_speak.set()
        await idle(hub)
        runner.may_speak.clear()
        runner.asked.clear()
        await ada.plays(cell)
    await runner.asked.wait()
    heard = len(ada.ear.kinds)
    await ada.says(Offer(kind=DRAW))
    assert ada.ear.kinds[heard:] == ["offered"]
    runner.may_speak.set()
    await idle(hub)
    assert ada.ear.kinds[heard:] == kinds


async def test_an_ai_that_cannot_judge_declines(hubs: Hubs) -> None:
    runner = Failing(ply=9)
    runner.judges = False
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.says(Offer(kind=DRAW))
    await idle(hub)
    assert ada.ear.kinds == ["offered", "declined"]


async def test_an_answer_is_of_the_position_that_was_judged(hubs: Hubs) -> None:
    runner = Failing(ply=9)
    hub = hubs.open(runner=runner)
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await idle(hub)
    runner.judging.clear()
    await ada.says(Offer(kind=DRAW))
    await runner.asked.wait()
    await ada.says(Offer(kind=TAKEBACK))
    await ada.says(Offer(kind=DRAW))
    runner.asked.clear()
    runner.judging.set()
    await idle(hub)
    assert runner.evaluated == [2, 0]
    assert ada.ear.kinds[-1] == "ended"


def test_an_ai_that_was_asked_for_a_draw_has_work() -> None:
    assert has_work(offered(against_ai(4, 0), ADA, DRAW))
    assert not has_work(offered(duel(4, 0), ADA, DRAW))


async def test_a_seat_without_an_ai_forfeits_nothing(hubs: Hubs) -> None:
    """It cannot be: but if it were, the game goes to the other side, and nothing is broken."""
    hub = hubs.open(runner=Failing())
    ada = await join_room(hub, settings=AI_IN_O)
    live = ada.member.live
    live.room = moved(live.room, 4)
    game = live.room.game
    assert game is not None
    step = await hub._ai_player._move(live, duel(4), game, O)
    (ended,) = step(live.room, 0)
    assert ended.type == "ended"


async def test_two_ais_take_turns_to_open(hub: Hub) -> None:
    settings = GivenSettings(seats=AIS, games=3, pace_s=0, opening=Opening.PIE)
    eve = await spectate(hub, settings=settings)
    await eve.ear.until(lambda ear: ear.kinds.count("ended") == 3)
    assert eve.ear.kinds.count("chosen") == 3
    live = hub.registry.get(NAME)
    assert live is not None
    score = live.room.score
    assert score.X + score.O + score.draws == 3


async def test_a_draw_is_answered_while_an_ai_chooses(hub: Hub) -> None:
    settings = GivenSettings(seats=AI_IN_O.seats, opening=Opening.PIE)
    ada = await join_room(hub, settings=settings)
    await ada.plays(4)
    await ada.says(Offer(kind=DRAW))
    await ada.ear.learns("ended")
    assert ada.ear.events[-1]["outcome"]["reason"] == "agreement"


def test_in_an_opening_nothing_is_replied_at_once() -> None:
    room = seated(founded(seats=MINIMAX, opening=Opening.PIE), ADA)
    assert reply_to(room, Play(game=1, ply=0, cell=4)).events == ()


async def test_an_ai_that_fails_in_an_opening_forfeits(hubs: Hubs) -> None:
    class Lost(StrategyRunner):
        async def open(self, ai: Ai, *_: object, **__: object) -> NoReturn:
            raise AiFailed(f"{ai.strategy} failed")

    hub = hubs.open(runner=Lost(1, Random(0)))
    settings = GivenSettings(seats=AI_IN_O.seats, opening=Opening.PIE)
    ada = await join_room(hub, settings=settings)
    await ada.plays(4)
    await ada.ear.learns("ended")
    assert ada.ear.events[-1]["outcome"]["winner"] == "X"
