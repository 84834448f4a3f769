import json
from collections.abc import Callable

import pytest

from tests.client.play.scripts import RecordedOutput
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.play.explore import show_strategies

LISTED = {
    "strategies": [
        {"name": "random", "about": "Any legal\u001b[2J cell.", "boards": "every board"},
        {"name": "corners", "about": "Takes corners.", "boards": "3x3"},
        {"name": 5},
    ]
}


async def shown(address: str, recorded: RecordedOutput, *, json_lines: bool = False) -> Ending:
    return await show_strategies(
        parse_server(address), None, recorded.output, json_lines=json_lines
    )


async def test_strategies_are_listed_by_strength(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput
) -> None:
    address = pages({"/api/strategies": answer(json.dumps(LISTED))})
    assert await shown(address, recorded) == Ending(0)
    assert recorded.lines == [
        "not rated  random       Any legal cell. (plays every board)",
        "not rated  corners      Takes corners. (plays 3x3)",
    ]


async def test_strategies_are_listed_as_json(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput
) -> None:
    address = pages({"/api/strategies": answer(json.dumps(LISTED))})
    assert await shown(address, recorded, json_lines=True) == Ending(0)
    assert [json.loads(line)["ai"] for line in recorded.lines] == ["random", "corners"]


@pytest.mark.parametrize("body", ["<html>", "[]", "{}"])
async def test_an_answer_that_makes_no_sense_is_code_1(
    pages: Callable[..., str], answer: Callable[..., bytes], recorded: RecordedOutput, body: str
) -> None:
    address = pages({"/api/strategies": answer(body)})
    assert (await shown(address, recorded)).code == 1


async def test_no_server_is_code_3_and_a_refusal_code_4(
    pages: Callable[..., str], recorded: RecordedOutput
) -> None:
    assert (await shown("127.0.0.1:1", recorded)).code == 3
    assert (await shown(pages({}), recorded)).code == 4
