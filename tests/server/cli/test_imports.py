"""Imports into each store, again and again."""

from pathlib import Path

import pytest

from tests.server.examples import NAME, log_of_two_games
from ttt_client.play.recordings import FileRecordings
from ttt_client.play.replay import Recording
from ttt_protocol.exports.text_form import as_json
from ttt_protocol.state import RoomName
from ttt_server.cli.games import import_file, read_games_of
from ttt_server.config.options import Config
from ttt_server.core.game_record import exported_games
from ttt_server.core.room import Room
from ttt_server.storage import open_store
from ttt_server.storage.base import CannotOpen

ROOMS = 3
GAMES = 40


@pytest.fixture(params=["sqlite", "postgres"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Config:
    store = "sqlite:" if request.param == "sqlite" else request.getfixturevalue("database")
    return Config(store=store, data=tmp_path / "data")


def written(games: int) -> str:
    """Rooms with so many games each, as JSON."""
    [game, *_] = exported_games(Room(NAME), log_of_two_games())
    one = as_json(game).strip() + "\n"
    return "".join(
        one.replace('"room":"den"', f'"room":"den{room}"').replace('"game":1', f'"game":{number}')
        for room in range(ROOMS)
        for number in range(1, games + 1)
    )


async def kept(config: Config) -> list[int]:
    """How many games each room has."""
    store = await open_store(config.store, config.data)
    rooms = [await read_games_of(store, RoomName(f"den{room}")) for room in range(ROOMS)]
    await store.close()
    return [len(games) for _, games in rooms]


async def test_rooms_of_several_games_are_added_whole_and_once(
    config: Config, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    for games, added in ((2, 2), (2, 0), (GAMES, GAMES - 2), (GAMES, 0), (1, 0)):
        file.write_text(written(games))
        done = await import_file(config, file)
        assert (done.added, done.refused) == (ROOMS * added, 0)
        assert done.passed_over == ROOMS * (games - added)
    assert await kept(config) == [GAMES] * ROOMS


@pytest.mark.parametrize("result", ["B+T", "W+T", "0", "Draw"])
async def test_a_game_that_ended_off_the_board_is_exported_and_imported_again(
    config: Config, tmp_path: Path, result: str
) -> None:
    played, exported = tmp_path / "a.sgf", tmp_path / "den0.jsonl"
    played.write_text(f"(;GM[4]SZ[15]RE[{result}];B[hh];W[ii])")
    assert (await import_file(config, played, RoomName("den0"))).added == 1
    store = await open_store(config.store, config.data)
    _, (game,) = await read_games_of(store, RoomName("den0"))
    await store.close()
    exported.write_text(as_json(game).replace('"room":"den0"', '"room":"den1"'))
    assert (await import_file(config, exported)).added == 1
    assert isinstance(await FileRecordings(exported).load(1), Recording)


async def test_a_line_without_end_is_not_read_whole(config: Config, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(written(1) + '{"room": "' + "x" * 2**21)
    with pytest.raises(CannotOpen, match=f"line {ROOMS + 1}: it is longer than 1 MiB; 2 games"):
        await import_file(config, file)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
async def test_what_to_do_with_another_encoding(
    config: Config, tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "game.psq"
    file.write_text("Piskvorky 15x15, 1:1, 0\n1,1,1\nRené\nbob\n", encoding)
    with pytest.raises(CannotOpen, match="this is not UTF-8; save it as UTF-8"):
        await import_file(config, file)
