import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.conftest import build_room
from tests.client.text.test_standings import event
from ttt_client.bots.foresight import (
    plays,
    require_board,
    require_program,
    rules_of_event,
    rules_of_room,
)
from ttt_client.net.address import ServerAddress, parse_server
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.failures import CannotStart
from ttt_protocol.bots.language import UnplayableBoard
from ttt_protocol.state import RoomName, Rules
from ttt_protocol.tournament.settings import TournamentName

Pages = Callable[[dict[str, bytes | None]], str]
MakeAnswer = Callable[..., bytes]
DEN, FRIDAY = RoomName("den"), TournamentName("friday")
FIVE = Rules(columns=15, rows=15, in_a_row=5)
FALLS = Rules(columns=7, rows=6, in_a_row=5, gravity=True)


@pytest.mark.parametrize("command", ["sh", sys.executable])
def test_a_program_is_found_by_its_path_and_by_its_name(command: str) -> None:
    require_program([command, "-c", "true"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no-such-program", "No such file or directory"),
        ("./no-such-program", "No such file or directory"),
        (__file__, "Permission denied"),
        (str(Path(__file__).parent), "Permission denied"),
    ],
)
def test_a_program_that_cannot_be_started_is_named_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(CannotStart) as caught:
        require_program([name])
    assert str(caught.value) == f"cannot start {name}: {why}"


@pytest.mark.parametrize(
    ("protocol", "rules", "may"),
    [
        (BotProtocol.JSON, Rules(), True),
        (BotProtocol.GOMOCUP, FIVE, True),
        (BotProtocol.GOMOCUP, Rules(), False),
        (BotProtocol.GOMOCUP, FALLS, False),
    ],
)
def test_gomocup_has_five_in_a_row_without_gravity(
    protocol: BotProtocol, rules: Rules, may: bool
) -> None:
    assert plays(protocol, rules) is may


def test_a_board_without_words_for_it_is_named() -> None:
    require_board(BotProtocol.GOMOCUP, FIVE)
    with pytest.raises(UnplayableBoard, match=r"^the board is 3x3x3: Gomocup engines"):
        require_board(BotProtocol.GOMOCUP, Rules())


def server_at(netloc: str) -> ServerAddress:
    return parse_server(f"ws://{netloc}")


async def test_the_rules_of_a_room_are_its_own(pages: Pages, answer: MakeAnswer) -> None:
    room = build_room(rules={"columns": 4, "rows": 5})
    server = server_at(pages({"/api/rooms/den": answer(room.to_json().decode())}))
    assert await rules_of_room(server, DEN, None, FIVE) == Rules(columns=4, rows=5)


async def test_the_rules_of_a_new_room_are_those_that_are_wanted(pages: Pages) -> None:
    server = server_at(pages({}))
    assert await rules_of_room(server, DEN, None, FIVE) == FIVE
    assert await rules_of_room(server, DEN, None, None) == Rules()


async def test_rules_that_are_not_to_be_seen_are_not_known(
    pages: Pages, answer: MakeAnswer
) -> None:
    server = server_at(
        pages(
            {
                "/api/rooms/den": answer("locked\n", 403, "text/plain"),
                "/api/rooms/odd": answer("{}"),
                "/api/events/friday": answer("{}"),
            }
        )
    )
    assert await rules_of_room(server, DEN, None, FIVE) is None
    assert await rules_of_room(server, RoomName("odd"), None, FIVE) is None
    assert await rules_of_event(server, FRIDAY) is None
    assert await rules_of_event(server, TournamentName("monday")) is None


async def test_the_rules_of_an_event_are_those_of_its_games(
    pages: Pages, answer: MakeAnswer
) -> None:
    told = event().model_dump_json(by_alias=True)
    server = server_at(pages({"/api/events/friday": answer(told)}))
    assert await rules_of_event(server, FRIDAY) == event().settings.rules
