"""What a table makes of what it hears. Nobody is connected."""

import json
import time

import pytest

from tests.bench.load import frames, scripts
from tests.bench.load.duel import Duel
from tests.bench.load.member import Member
from tests.bench.load.table import ScriptedTable, Table
from tests.bench.load.tally import Tally


class Player(Member):
    """Keeps what it should send."""

    def __init__(self) -> None:
        super().__init__("/", lambda *_: None, lambda _: None)
        self.sent: list[bytes] = []

    def send(self, ready: bytes) -> None:
        self.sent.append(ready)


def update(game: int, board: str, *, is_over: bool = False, spaces: bool = False) -> bytes:
    room = {
        "status": "finished" if is_over else "playing",
        "game": {"number": game, "board": board},
    }
    separators = None if spaces else (",", ":")
    return json.dumps(
        {"type": "update", "events": [], "room": room}, separators=separators
    ).encode()


@pytest.fixture
async def tally() -> Tally:
    tally = Tally()
    now = time.monotonic()
    tally.start(now, now + 3600, 1)
    return tally


def hear(table: Table, *payloads: bytes) -> None:
    """All members hear it."""
    for payload in payloads:
        for member in table.members:
            table._hear(member, payload)


def scripted(tally: Tally, members: int = 2) -> tuple[ScriptedTable, list[Player]]:
    table = ScriptedTable(3, "room", 0, tally)
    players = [Player() for _ in range(members)]
    table.members.extend(players)
    table.go_on()
    return table, players


async def test_a_game_and_the_next_one_with_the_sides_changed(tally: Tally) -> None:
    table, (x, o, watcher) = scripted(tally, members=3)
    for game, (first, second) in ((1, (x, o)), (2, (o, x))):
        script = scripts.script(3, game)
        for ply, cell in enumerate(script.cells):
            assert (second if ply % 2 else first).sent.pop() == scripts.play(game, ply, cell)
            assert not x.sent
            assert not o.sent
            hear(table, update(game, script.boards[ply + 1]))
        assert x.sent.pop() == o.sent.pop() == frames.text("offer", kind="rematch")
        hear(table, update(game, script.boards[-1]), update(game + 1, "." * 9))
    moves = sum(len(scripts.script(3, game).cells) for game in (1, 2))
    assert (tally.moves, tally.deliveries) == (moves, 3 * moves)
    assert len(tally.times["own"]) == len(tally.times["all"]) == moves
    assert (tally.faults, watcher.sent) == ([], [])


async def test_a_move_waits_until_all_have_seen_the_last(tally: Tally) -> None:
    table, (x, o) = scripted(tally)
    payload = update(1, scripts.script(3, 1).boards[1])
    table._hear(x, payload)
    assert not o.sent
    table._hear(o, payload)
    assert len(o.sent) == 1


async def test_how_it_is_written_does_not_matter(tally: Tally) -> None:
    table, (_, o) = scripted(tally)
    hear(table, update(1, scripts.script(3, 1).boards[1], spaces=True))
    assert len(o.sent) == 1


@pytest.mark.parametrize(
    "wrong",
    [update(1, "OOOOOOOOO"), update(2, "." * 9), b'{"type":"refused"}', b'{"type":"goodbye"}'],
)
async def test_what_should_not_be_is_a_fault(tally: Tally, wrong: bytes) -> None:
    table, (x, o) = scripted(tally)
    table._hear(x, wrong)
    assert len(tally.faults) == 1
    assert not o.sent


async def test_a_move_that_is_told_twice_is_a_fault(tally: Tally) -> None:
    table, (x, o) = scripted(tally)
    for _ in range(2):
        table._hear(x, update(1, scripts.script(3, 1).boards[1]))
    assert len(tally.faults) == 1
    assert not o.sent


async def test_who_comes_and_speaks_is_none_of_the_games_business(tally: Tally) -> None:
    table, _ = scripted(tally)
    hear(table, b'{"type":"presence"}', b'{"type":"said"}', update(1, "." * 9))
    hear(table, b'{"type":"update","events":[],"room":{"game":null}}')
    assert tally.faults == []


async def test_it_rests_when_the_time_is_over(tally: Tally) -> None:
    table, (_, o) = scripted(tally)
    tally.end = time.monotonic()
    hear(table, update(1, scripts.script(3, 1).boards[1]))
    await tally.all_rest()
    assert not o.sent
    assert (tally.moves, tally.faults) == (0, [])


async def test_a_duel(tally: Tally) -> None:
    table, player = Duel(0, "room", 0, tally, "perfect"), Player()
    table.members.append(player)
    table.go_on()
    assert player.sent.pop() == scripts.play(1, 0, 1)
    hear(table, update(1, ".X......."), update(1, ".X......."))
    assert not player.sent  # the AI is to move
    hear(table, update(1, ".X..O...."))
    assert player.sent.pop() == scripts.play(1, 2, 2)
    hear(table, update(1, "XXXOO....", is_over=True))
    assert player.sent.pop() == frames.text("offer", kind="rematch")
    hear(table, update(2, "." * 9))
    assert not player.sent  # sides have changed
    hear(table, update(2, "X........"))
    assert len(player.sent) == 1
    assert tally.moves == 4
    assert {what: len(times) for what, times in tally.times.items()} == {"own": 2, "thought": 2}
