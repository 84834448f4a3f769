import asyncio
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.play.scripts import RecordedOutput, ScriptedPeer, Start, typed
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, RoomSession
from ttt_client.play.frontends import JsonFrontend, PlainFrontend
from ttt_client.play.lobby import QuickMatch
from ttt_client.terminal.stdin import StandardInput
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Seek
from ttt_protocol.messages import AiOffered, Paired, Refused
from ttt_protocol.state import Mark, RoomName, Rules, Token

GOMOKU = Seek(rules=Rules(columns=15, rows=15, in_a_row=5))
WITH_AI = GOMOKU.model_copy(update={"ai": True})
PAIRED = Paired(room=RoomName("quick-a"), token=Token("t"), seat=Mark.X, within_s=10)
OFFERED = AiOffered(strategy="search", level=0)
Script = Callable[[ServerConnection], Awaitable[None]]


async def search(
    url: str,
    frontend: PlainFrontend | JsonFrontend,
    descriptor: int | None = None,
    *,
    takes_ai: bool = False,
) -> Paired | Ending:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    session = RoomSession(url, GOMOKU, sleep=at_once)
    match = QuickMatch(session, GOMOKU, frontend, takes_ai=takes_ai)
    async with asyncio.timeout(20):
        return await match.run(None if descriptor is None else StandardInput(descriptor))


def pairing(*wanted: Seek) -> Script:
    """Return a server that offers an AI, and pairs after these commands."""

    async def script(connection: ServerConnection) -> None:
        peer = ScriptedPeer(connection)
        for number, seek in enumerate(wanted):
            assert await peer.receive() == seek
            if number == 0 and len(wanted) > 1:
                await peer.send(OFFERED)
        await peer.send(PAIRED)
        await connection.close()

    return script


def when_offered(
    frontend: PlainFrontend | JsonFrontend,
    answer: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Call `answer` once the frontend has shown that an AI offers itself."""
    show_message = frontend.show_message

    def show(before: View, heard: Heard, after: View) -> None:
        show_message(before, heard, after)
        if isinstance(heard.message, AiOffered):
            answer()

    monkeypatch.setattr(frontend, "show_message", show)


async def test_an_opponent_is_found(scripted: Start, recorded: RecordedOutput) -> None:
    url = await scripted(pairing(GOMOKU))
    assert await search(url, PlainFrontend(recorded.output)) == PAIRED
    assert recorded.lines == ["found an opponent: room quick-a"]


async def test_the_ai_that_offers_itself_is_taken(
    scripted: Start, recorded: RecordedOutput
) -> None:
    url = await scripted(pairing(GOMOKU, WITH_AI))
    assert await search(url, PlainFrontend(recorded.output), takes_ai=True) == PAIRED


async def test_a_player_at_a_terminal_says_whether_the_ai_plays(
    scripted: Start,
    recorded: RecordedOutput,
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frontend = PlainFrontend(recorded.output)
    lines = ("help", "what", "5", "decline", "", "retry", "accept")
    when_offered(frontend, lambda: typed(pipe, *lines, end=False), monkeypatch)
    url = await scripted(pairing(GOMOKU, WITH_AI))
    assert await search(url, frontend, pipe[0]) == PAIRED
    shown = "\n".join(recorded.lines)
    assert '"what" was not understood' in shown
    assert "there is no room yet: accept plays the AI, quit ends it" in shown
    typed(pipe)


async def test_a_program_seeks_in_its_own_words(
    scripted: Start,
    recorded: RecordedOutput,
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frontend = JsonFrontend(recorded.output)
    line = '{"type":"seek","ai":true}'
    when_offered(frontend, lambda: typed(pipe, line, end=False), monkeypatch)
    url = await scripted(pairing(GOMOKU, Seek(ai=True)))
    assert await search(url, frontend, pipe[0]) == PAIRED
    assert [line.partition(",")[0] for line in recorded.lines] == [
        '{"type":"ai_offered"',
        '{"type":"paired"',
    ]
    typed(pipe)


@pytest.mark.parametrize("lines", [("quit",), ()])
async def test_a_search_is_given_up(
    scripted: Start, recorded: RecordedOutput, pipe: tuple[int, int], lines: tuple[str, ...]
) -> None:
    async def silent(connection: ServerConnection) -> None:
        await connection.wait_closed()

    url = await scripted(silent)
    assert await search(url, PlainFrontend(recorded.output), typed(pipe, *lines)) == Ending(0)


async def test_a_refused_search_is_the_end(scripted: Start, recorded: RecordedOutput) -> None:
    async def script(connection: ServerConnection) -> None:
        peer = ScriptedPeer(connection)
        await peer.receive()
        full = RefusalCode.SERVER_FULL
        await peer.send(Refused(command="seek", code=full, reason="no more"))
        await connection.wait_closed()

    end = await search(await scripted(script), PlainFrontend(recorded.output))
    assert end == Ending(4, "refused: no more (server_full)")


async def test_a_lost_search_goes_on(scripted: Start, recorded: RecordedOutput) -> None:
    async def losing(connection: ServerConnection) -> None:
        assert await ScriptedPeer(connection).receive() == GOMOKU
        await connection.close(1012)

    url = await scripted(losing, pairing(GOMOKU))
    assert await search(url, PlainFrontend(recorded.output)) == PAIRED
    assert "the connection was lost" in recorded.lines[0]
