import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_server.cli.learner import run
from ttt_server.storage import open_store
from ttt_server.storage.sqlite.store import SqliteStore


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is meant where none is named."""
    monkeypatch.setenv("TTT_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TTT_STORE", raising=False)
    monkeypatch.delenv("TTT_CONFIG", raising=False)
    return tmp_path / "data"


@pytest.fixture
async def new_database(data: Path) -> None:
    """A database that knows nothing."""
    await (await open_store("sqlite:", data)).close()


Capture = pytest.CaptureFixture[str]


def told(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    answer: dict[str, Any] = json.loads(out)
    return answer


def complaint(capsys: Capture, *arguments: str) -> tuple[int, str]:
    status = status_of(*arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ttt-server learner: ")
    assert err.count("\n") == 1
    return status, err.removeprefix("ttt-server learner: ").rstrip()


def status_of(*arguments: str) -> int:
    try:
        return run([*arguments])
    except SystemExit as exit_:
        return int(str(exit_.code))


@pytest.mark.usefixtures("new_database")
def test_it_shows_what_it_knows(capsys: Capture) -> None:
    assert run([]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("games seen         0\n")
    assert err == ""
    assert told(capsys)["games"] == 0


def test_the_punisher_makes_it_unbeatable_and_that_is_kept(capsys: Capture) -> None:
    trained = told(capsys, "--train", "1000", "--seed", "3")
    assert trained["unbeatable"]
    assert 4 <= trained["trained"] == trained["games"] <= 60
    again = told(capsys)
    assert again == trained | {"trained": 0}
    assert told(capsys, "--train", "5")["trained"] == 0, "there is nothing left to punish"


@pytest.mark.parametrize("opponent", ["random", "minimax:9", "learner", "search:0", "punisher"])
def test_whoever_it_meets_a_seed_replays_it(capsys: Capture, tmp_path: Path, opponent: str) -> None:
    arguments = ("--train", "7", "--against", opponent, "--seed", "5")
    one, other = [told(capsys, *arguments, "--data", str(tmp_path / name)) for name in "ab"]
    assert one == other
    assert one["trained"] == one["games"] == 7
    assert told(capsys, "--data", str(tmp_path / "a"))["games"] == 7


def test_a_training_goes_on_where_it_was(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_server.cli.learner._BATCH", 3)
    assert told(capsys, "--train", "7", "--against", "random")["games"] == 7
    assert told(capsys, "--train", "8", "--against", "random")["games"] == 15


def test_to_rebuild_is_to_forget_the_trainings(capsys: Capture) -> None:
    told(capsys, "--train", "7", "--against", "random")
    assert told(capsys, "--rebuild")["games"] == 0
    assert told(capsys, "--rebuild", "--train", "2", "--against", "random")["games"] == 2


def test_a_store_that_keeps_nothing(capsys: Capture, data: Path) -> None:
    assert told(capsys, "--store", "memory:", "--train", "3", "--against", "rules")["games"] == 3
    assert told(capsys, "--store", "memory:")["games"] == 0
    assert not data.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--train", "0"], "argument --train: 0: must be a whole number from 1"),
        (["--train", "many"], "must be a whole number from 1"),
        (["--train"], "argument --train: expected one argument"),
        (["--seed", "1"], "--against and --seed are for --train"),
        (["--against", "random"], "--against and --seed are for --train"),
        (["--train", "1", "--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["--train", "1", "--against", "zap"], "no strategy 'zap'; there are: brute, "),
        (["--train", "1", "--against", "minimax:10"], "a level is 0 to 9"),
        (["--store", "redis:"], "--store: must be "),
        (["--config", "/nowhere"], "--config: /nowhere: No such file or directory"),
        (["--forget-since", "yesterday"], "'yesterday' is not a date like 2026-11-24"),
        (["--forget-since", "9999-01-01"], "9999-01-01 is still to come"),
        (["--forget-since", "2026-01-01", "--rebuild"], "goes without --train and --rebuild"),
        (["--forget-since", "2026-01-01", "--store", "memory:"], "memory: keeps nothing"),
        (["--dry-run"], "--dry-run is for --forget-since"),
        (["--loudly"], "unrecognized arguments: --loudly"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: Capture, data: Path, arguments: list[str], words: str
) -> None:
    status, complained = complaint(capsys, *arguments)
    assert status == 2
    assert words in complained
    assert not data.exists(), "nothing was opened"


def test_the_names_have_the_punisher(capsys: Capture) -> None:
    assert complaint(capsys, "--train", "1", "--against", "zap")[1].endswith(", punisher")


def test_while_a_server_has_the_folder(capsys: Capture, data: Path) -> None:
    data.mkdir()

    async def with_a_server() -> tuple[int, str]:
        store = SqliteStore(data / "ttt.sqlite3")
        try:
            return await asyncio.to_thread(complaint, capsys)
        finally:
            await store.close()

    status, words = asyncio.run(with_a_server())
    assert status == 1
    assert words.endswith("ttt.sqlite3: another server is using it")


def test_a_place_where_no_folder_can_be(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert complaint(capsys, "--data", str(tmp_path / "file" / "data"))[0] == 1


def test_what_a_room_taught_is_there(capsys: Capture, data: Path) -> None:
    data.mkdir()

    async def teach() -> None:
        store = SqliteStore(data / "ttt.sqlite3")
        await store.teach((Lesson.of((0, 3, 1, 4, 2), Mark.X),))
        await store.close()

    asyncio.run(teach())
    found = told(capsys)
    assert (found["games"], found["whole_games"]) == (1, 1)


def test_help(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(["--help"])
    assert exit_.value.code == 0
    words = capsys.readouterr().out
    for option in ("--train", "--against", "--seed", "--rebuild", "--json", "--data", "--store"):
        assert option in words


def test_what_was_learned_since_a_date_is_forgotten(capsys: Capture) -> None:
    told(capsys, "--train", "7", "--against", "random")
    counted = told(capsys, "--forget-since", "2020-02-29T12:34+02:00", "--dry-run")
    assert (counted["would_forget"], counted["games"]) == (7, 7)
    assert run(["--forget-since", "2020-02-29T12:34+02:00"]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "forgot 7 games learned since 2020-02-29 10:00 UTC"
    assert second == "games seen         0"
    assert told(capsys, "--forget-since", "2020-01-01")["forgotten"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--json",),
        ("--rebuild",),
        ("--forget-since", "2020-01-01"),
        ("--forget-since", "2020-01-01", "--dry-run"),
    ],
)
def test_to_look_makes_no_database(capsys: Capture, data: Path, arguments: tuple[str, ...]) -> None:
    status, words = complaint(capsys, *arguments)
    assert (status, words) == (1, f"{data}/ttt.sqlite3: there is no database")
    assert not data.exists()
