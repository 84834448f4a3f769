import argparse
import json
from collections.abc import Callable

import pytest

from tests.client.play.scripts import RecordedOutput
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.play.explore import compare, explain
from ttt_protocol.state import AiSetting

POSITION = {"rules": "3x3x3", "board": "X...O....", "turn": "X"}
DECISION = {"cells": [2], "reason": "corner", "values": None}
TRACE = [
    POSITION | {"step": "position", "strategy": "rules", "level": None},
    DECISION | {"step": "decision"},
]
COMPARISON: dict[str, object] = POSITION | {"strategies": [], "node_counts": {}}


def arguments(**given: object) -> argparse.Namespace:
    return argparse.Namespace(
        **{
            "strategy": AiSetting(strategy="minimax", level=9),
            "position": {"board": "X...O...."},
            "rules": None,
            "tree": False,
            "depth": None,
            "json": False,
        }
        | given
    )


def traced() -> str:
    return "\n".join(map(json.dumps, TRACE))


async def test_a_trace_is_printed(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput
) -> None:
    asked = "/api/trace?rules=3x3x3&board=X...O....&counts=1&strategy=minimax%3A9"
    server = parse_server(
        pages({asked: answer(traced()), f"{asked}&limit=10000": answer(traced())})
    )
    assert await explain(server, arguments(), recorded.output) == Ending(0)
    assert recorded.lines[-1] == "X plays 3: corner"
    assert await explain(server, arguments(tree=True), recorded.output) == Ending(0)
    before = len(recorded.lines)
    assert await explain(server, arguments(json=True), recorded.output) == Ending(0)
    assert list(map(json.loads, recorded.lines[before:])) == TRACE


async def test_a_comparison_is_printed(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput
) -> None:
    asked = "/api/compare?rules=3x3x3&board=X...O...."
    server = parse_server(pages({asked: answer(json.dumps(COMPARISON))}))
    assert await compare(server, arguments(), recorded.output) == Ending(0)
    assert recorded.lines[0] == "3x3, 3 in a row; X to move"


@pytest.mark.parametrize("body", ["<html>", "[]", "{}"])
async def test_an_answer_that_makes_no_sense_is_code_1(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput, body: str
) -> None:
    server = parse_server(pages({"/api/compare?rules=3x3x3&board=X...O....": answer(body)}))
    assert (await compare(server, arguments(), recorded.output)).code == 1


async def test_no_server_is_code_3_and_a_refusal_code_4(
    pages: Callable[..., str], recorded: RecordedOutput
) -> None:
    assert (await compare(parse_server("127.0.0.1:1"), arguments(), recorded.output)).code == 3
    assert (await compare(parse_server(pages({})), arguments(), recorded.output)).code == 4
