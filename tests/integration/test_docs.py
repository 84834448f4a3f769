"""The README and the pages of docs/ agree with the code."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.integration.programs import Dial, ServerProcess
from ttt_engine.strategies import names
from ttt_protocol.codes import RefusalCode
from ttt_server.config.options import Config, flag

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
OPERATING = (DOCS / "operating.md").read_text()
PROTOCOL = (DOCS / "protocol.md").read_text()
STRATEGIES = (DOCS / "strategies.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]


def test_every_option_is_there_with_its_default() -> None:
    for name, field in Config.model_fields.items():
        row = re.search(rf"^\|[^|]*`{flag(name)}`[^|]*\|([^|]*)\|", OPERATING, re.MULTILINE)
        assert row, f"{flag(name)} is not in docs/operating.md"
        default = str(field.default).lower() if field.annotation is bool else field.default
        if isinstance(default, int | float) or (isinstance(default, str) and default):
            assert f"`{default}`" in row[1]


def test_every_refusal_code_is_on_the_protocol_page() -> None:
    for code in RefusalCode:
        assert f"`{code}`" in PROTOCOL


def test_every_command_and_message_is_on_the_protocol_page() -> None:
    schema = json.loads((DOCS / "protocol.schema.json").read_text())
    types = set(re.findall(r'"const": "(\w+)"', json.dumps(schema)))
    for type_ in types:
        assert f"`{type_}`" in PROTOCOL or f'"{type_}"' in PROTOCOL, type_


def test_every_strategy_is_there() -> None:
    for name in names():
        assert f"| `{name}` |" in STRATEGIES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^):]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file), target


def headings(page: Path) -> set[str]:
    """The anchors of a Markdown page, as its usual hosts make them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_it_begins_with_the_two_commands() -> None:
    start = README.index("<!-- start -->")
    tests = README.index("<!-- tests -->")
    assert start < tests < README.index("## Play")


def test_every_promise_is_shown_by_a_test_that_is_there() -> None:
    shown = re.findall(r"`((?:cluster/)?test_\w+\.py)::(test_\w+)`", OPERATING)
    assert shown
    for file, name in shown:
        source = (ROOT / "tests/integration" / file).read_text()
        assert f"def {name}(" in source, f"{file}::{name}"


async def test_the_client_of_the_protocol_page_plays(server: ServerProcess, dial: Dial) -> None:
    code = re.search(r"```python\n(import .*?)```", PROTOCOL, re.DOTALL)
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
