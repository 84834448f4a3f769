import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ttt_client.cli.commands import advised
from ttt_client.model.options import parse_ai
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.net.tokens import SeatTokenFile, default_folder
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import RoomName, Rules, Token

Pages = Callable[..., str]


async def words(end: Ending, server: str = "127.0.0.1:1", **given: object) -> str | None:
    arguments = argparse.Namespace(server=parse_server(server), room="den", vs=None, name="eve")
    for name, value in given.items():
        setattr(arguments, name, value)

    async def command() -> Ending:
        return end

    return (await advised(command(), arguments)).words


@pytest.mark.parametrize(
    ("server", "reason", "step"),
    [
        ("h:1", "Connection refused", "nothing listens at h:1; start ttt-server, or give --server"),
        ("h:1", "what answers there does not speak WebSocket", "a TLS port needs wss://h:1"),
        ("wss://h:1", "TLS: self-signed certificate", "SSL_CERT_FILE"),
        ("h:1", "no answer in time", "ttt-client doctor"),
    ],
)
async def test_where_no_server_is_reached(server: str, reason: str, step: str) -> None:
    told = await words(Ending(3, f"cannot reach the server: {reason}"), server)
    assert told is not None
    assert step in told


@pytest.mark.parametrize(
    ("code", "step"),
    [
        (RefusalCode.ROOM_FULL, "ttt-client watch den watches"),
        (RefusalCode.NO_SUCH_ROOM, "ttt-client join den makes it"),
        (RefusalCode.WRONG_PASSWORD, "give --password, or TTT_PASSWORD"),
        (RefusalCode.SETTINGS_CONFLICT, "without these options"),
        (RefusalCode.UNKNOWN_STRATEGY, "ttt-client strategies lists them"),
        (RefusalCode.STRATEGY_CANNOT_PLAY, "ttt-client strategies --rules"),
        (RefusalCode.BAD_TOKEN, "TTT_TOKEN"),
    ],
)
async def test_a_refusal_is_told_with_the_next_step(code: RefusalCode, step: str) -> None:
    told = await words(Ending(4, "refused: no", code))
    assert told is not None
    assert told.startswith("refused: no; ")
    assert step in told


@pytest.mark.parametrize(
    ("code", "step"),
    [
        (RefusalCode.NO_SUCH_ROOM, "ttt-client event create friday makes it"),
        (RefusalCode.NOT_ALLOWED, "ttt-client event watch friday watches"),
        (RefusalCode.BAD_TOKEN, "run the same command again to enter"),
    ],
)
async def test_a_refusal_in_an_event_has_steps_of_its_own(code: RefusalCode, step: str) -> None:
    told = await words(Ending(4, "refused: no", code), event="friday")
    assert told == f"refused: no; {step}"
    other = Ending(4, "refused: no", RefusalCode.RATE_LIMITED)
    assert await words(other, event="friday") == "refused: no"


async def test_other_ends_are_as_they_are() -> None:
    assert await words(Ending(0)) is None
    assert await words(Ending(4, "refused")) == "refused"
    assert await words(Ending(4, "refused: no", RefusalCode.SERVER_FULL)) == "refused: no"


async def test_a_similar_name_is_looked_up(pages: Pages, answer: Callable[..., bytes]) -> None:
    server = pages(
        {
            "/api/rooms": answer(json.dumps({"rooms": [{"name": "dem"}, {"name": 5}]})),
            "/api/strategies": answer(json.dumps({"strategies": [{"name": "minimax"}]})),
        }
    )
    room = await words(Ending(4, "refused", RefusalCode.NO_SUCH_ROOM), server)
    assert room is not None
    assert "did you mean dem?" in room
    unknown = Ending(4, "refused", RefusalCode.UNKNOWN_STRATEGY)
    strategy = await words(unknown, server, vs=parse_ai("minmax", Rules()))
    assert strategy is not None
    assert "did you mean minimax?" in strategy


@pytest.mark.parametrize("code", [RefusalCode.ROOM_FULL, RefusalCode.SEAT_TAKEN])
async def test_a_taken_seat_names_those_that_are_kept(
    code: RefusalCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in ("ada b", "eve"):
        with SeatTokenFile(default_folder(), "ws://localhost:1", RoomName("den"), name) as seat:
            seat.remember(Token("t" + name))
    told = await words(Ending(4, "refused: both seats are taken", code)) or ""
    assert "your seat as ada b is kept: ttt-client --name 'ada b' join den takes it back" in told
    assert "another ttt-client here plays your seat as eve" in told
    assert "is kept" not in (await words(Ending(4, "no", code), room="attic") or "")
