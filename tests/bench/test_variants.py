"""A move of a variant costs the server hardly more than one on a plain board with as many cells.

It is counted in steps of the interpreter, which no other program disturbs: from the text of a
command to the updates of both players, on a store in memory. docs/performance.md has the figures.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any

import pytest

from tests.server.hubs import Hubs, two_players
from ttt_engine import Position, Rules
from ttt_protocol.codec import decode_command
from ttt_protocol.state import GivenSettings
from ttt_server.core.room import wire_rules

MOST = 1.3
MOVES = 24
"""As many of a game are counted, so that its end has no part in it."""

PAIRS = {
    "misere:7x6x4g": "7x6x4g",
    "torus:5x5x4": "5x5x4",
    "torus:19x19x5": "19x19x5",
    "vanishing:3x3x3": "3x3x3",
    "vanishing:5x5x4": "5x5x4",
    "notakto:4x4x4": "4x4x4",
    "cube:3": "3x9x3",
    "cube:4": "4x16x4",
    "ultimate": "9x9x5",
    "connect6": "19x19x6",
}
"""Variants, and boards of the plain game with as many cells."""


@contextmanager
def counted(steps: list[int]) -> Iterator[None]:
    """Add to `steps` how many the interpreter takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
    steps.append(count)


def moves_of(rules: Rules) -> Iterator[int]:
    random, position = Random(str(rules)), Position.start(rules)
    while position.legal_moves:
        cell = random.choice(position.legal_moves)
        yield cell
        position = position.play(cell)


async def steps_of_a_move(text: str) -> float:
    """Play a game twice, and return the steps of a move of the second one, when all is warm."""
    hubs, rules, steps = Hubs(), Rules.parse(text), list[int]()
    settings = GivenSettings(rules=wire_rules(rules))
    for room in ("first", "second"):
        players = await two_players(hubs.open(), room=room, settings=settings)
        steps.clear()
        for _, cell in zip(range(MOVES), moves_of(rules), strict=False):
            game = players[0].member.live.room.game
            assert game is not None
            (mover,) = (one for one in players if one.you["seat"] == game.turn)
            command = {"type": "play", "id": "7", "game": game.number, "ply": game.ply}
            with counted(steps):
                await mover.says(decode_command(json.dumps(command | {"cell": cell})))
    await hubs.close()
    return sum(steps) / len(steps)


@pytest.mark.parametrize(("variant", "plain"), PAIRS.items())
def test_a_move_costs_little_more_than_on_a_plain_board(variant: str, plain: str) -> None:
    ours, theirs = (asyncio.run(steps_of_a_move(text)) for text in (variant, plain))
    print(f"| `{variant}` | {ours:.0f} | `{plain}` | {theirs:.0f} | {ours / theirs:.2f} |")
    assert ours < MOST * theirs
