import io
import json
import re
import sys
from pathlib import Path

import pytest

from tests.client.bots.programs import FIRST, scripted
from tests.protocol.bots.examples import GOMOKU
from ttt_client.bots.foresight import check_program
from ttt_client.bots.process import BotProcess
from ttt_client.terminal.stdout import Output
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.notation import board_of
from ttt_protocol.state import Rules

pytestmark = pytest.mark.slow


async def checked(
    command: list[str],
    rules: Rules | None = None,
    *,
    json_lines: bool = False,
    protocol: BotProtocol = BotProtocol.JSON,
) -> tuple[bool, str]:
    out = io.StringIO()
    output = Output(out, out, ascii_only=False)
    program = BotProcess(command, protocol)
    passed = await check_program(program, rules or Rules(), 1000, output, json_lines=json_lines)
    return passed, out.getvalue()


async def test_a_good_program_is_ready_to_play() -> None:
    passed, table = await checked(FIRST, Rules(columns=7, rows=6, in_a_row=4, gravity=True))
    assert passed
    checks = [
        "first move",
        "one answer",
        "whole game",
        "win in one",
        "full column",
        "a move in",
        "last move",
    ]
    assert all(
        line.startswith(f"ok    {check}")
        for line, check in zip(table.splitlines(), checks, strict=False)
    )
    assert "ok    opening" in table
    assert "stays, for it is too slow" in table
    assert table.splitlines()[-1] == "ready to play"


async def test_a_full_board_without_rows_has_no_win_in_one() -> None:
    _, table = await checked(FIRST, Rules(columns=3, rows=5, in_a_row=5))
    assert "not on this board" in table


async def test_what_it_does_wrong_is_in_the_table() -> None:
    passed, table = await checked(scripted("say(0)"))
    assert not passed
    assert "FAIL  whole game        after " in table
    assert "illegal: cell 0" in table
    assert "checks failed" in table


async def test_a_program_that_says_each_answer_twice_is_named() -> None:
    passed, table = await checked(scripted("say(legal[0])\nsay(legal[0])"))
    assert not passed
    assert "FAIL  one answer        after its answer it wrote '{\"cell\": 0}'" in table


async def test_an_engine_plays_on_twenty_by_twenty() -> None:
    gomoku = Path(__file__).parents[3] / "client/examples/bots/gomoku.py"
    engine = [sys.executable, "-S", str(gomoku)]
    passed, table = await checked(engine, board_of("20x20x5", 20), protocol=BotProtocol.GOMOCUP)
    assert passed, table


async def test_an_engine_that_refuses_the_board_says_so() -> None:
    shell = "while read word rest; do case $word in START) echo ERROR no size $rest;; esac; done"
    passed, table = await checked(["sh", "-c", shell], GOMOKU, protocol=BotProtocol.GOMOCUP)
    assert not passed
    assert "the engine does not play on 15x15: it says 'ERROR no size 15'" in table


async def test_a_program_of_gomocup_is_told_its_option() -> None:
    gomoku = Path(__file__).parents[3] / "client/examples/bots/gomoku.py"
    passed, table = await checked([sys.executable, "-S", str(gomoku)])
    assert not passed
    assert table.splitlines()[-1].endswith("needs --protocol gomocup")


async def test_one_that_does_not_start_is_not_tried_further() -> None:
    passed, table = await checked(["./nothing"], json_lines=True)
    assert not passed
    (row,) = json.loads(table)
    assert row["what"] == "cannot start ./nothing: No such file or directory"


async def test_a_program_that_knows_openings_says_what_it_chooses() -> None:
    chance = Path(__file__).parents[3] / "client/examples/bots/chance.py"
    _, table = await checked([sys.executable, "-S", str(chance)])
    assert "ok    opening" in table
    assert "chooses s" in table  # stay, or swap


_TRIED = scripted(
    "board = message['board']\n"
    "assert seen != 'notakto' or 'O' not in board\n"
    "assert seen != 'connect6' or (len(message['moves']) + 1) // 2 % 2 == (seat == 'O')\n"
    "assert seen != 'vanishing' or board.count(seat) <= 3\n"
    "say(legal[-1])\n"
)
FAMILY = [
    *_TRIED[:-1],
    _TRIED[-1].replace(
        "    if message['type'] == 'turn'",
        "    if message['type'] == 'hello':\n"
        "        seen, seat = message['rules']['variant'], message['seat']\n"
        "        print(json.dumps({'variants': [seen]}), flush=True)\n"
        "    if message['type'] == 'choose':\n"
        "        print(json.dumps({'choice': 'stay'}), flush=True)\n"
        "    if message['type'] == 'turn'",
    ),
]
"""A program that knows whose turn it is, and which marks stand."""


@pytest.mark.parametrize(
    "board",
    [
        *("misere:3x3x3", "misere:7x6x4g", "torus:3x3x3", "vanishing:3x3x3", "notakto:4x4x4"),
        *("cube:3", "connect6"),
    ],
)
async def test_a_program_is_tried_on_the_boards_of_the_family(board: str) -> None:
    passed, table = await checked(FAMILY, board_of(board))
    assert passed, table
    name = board.partition(":")[0]
    assert re.search(rf"ok    variant +names {name} in answer to hello", table)


async def test_a_program_that_names_no_variant_is_not_ready_for_it() -> None:
    passed, table = await checked(FIRST, board_of("cube:3"))
    assert not passed
    assert re.search("FAIL  variant +the program does not name cube", table)


async def test_what_cannot_be_tried_without_a_server_is_one_line() -> None:
    passed, table = await checked(FAMILY, board_of("ultimate"))
    assert passed, table
    assert re.search("ok    whole game +not tried: only a server knows which cells", table)
