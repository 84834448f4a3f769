"""The README says what is so."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.integration.programs import Dial, ServerProcess
from ttt_engine.strategies import names
from ttt_server.config import Config, flag

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_every_option_is_there_with_its_default() -> None:
    for name, field in Config.model_fields.items():
        row = re.search(rf"^\|[^|]*`{flag(name)}`[^|]*\|([^|]*)\|", README, re.MULTILINE)
        assert row, f"{flag(name)} is not in the README"
        default = str(field.default).lower() if field.default is True else field.default
        if isinstance(default, int | float) or (isinstance(default, str) and default):
            assert f"`{default}`" in row[1]


def test_every_strategy_is_there() -> None:
    for name in names():
        assert f"| `{name}` |" in README


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_it_begins_with_the_two_commands() -> None:
    start = README.index("<!-- start -->")
    tests = README.index("<!-- tests -->")
    assert start < tests < README.index("## Play")


def test_every_promise_is_shown_by_a_test_that_is_there() -> None:
    shown = re.findall(r"`(test_\w+\.py)::(test_\w+)`", README)
    assert shown
    for file, name in shown:
        source = (ROOT / "tests/integration" / file).read_text()
        assert f"def {name}(" in source, f"{file}::{name}"


async def test_its_client_plays(server: ServerProcess, dial: Dial) -> None:
    code = re.search(r"```python\n(import .*?)```", README, re.DOTALL)
    assert code
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code[1].replace("ws://127.0.0.1:8765", server.address)),
        stderr=PIPE,
    )
    try:
        ada = await dial(server, "room42")
        await ada.join(name="ada", seat="O")
        assert (await ada.until_ply(1))["room"]["game"]["moves"] == [0]
        await ada.play(1, 4)
        assert (await ada.until_ply(3))["room"]["game"]["moves"] == [0, 4, 1]
    finally:
        bot.kill()
        await bot.communicate()
