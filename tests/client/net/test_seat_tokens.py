# ruff: noqa: S107 - the tokens of tests open nothing
import errno
import os
import stat
import time
from pathlib import Path

import pytest

from ttt_client.net.tokens import SeatTokenFile, default_folder, kept_names
from ttt_protocol.state import RoomName, Token

SERVER, ROOM = "ws://127.0.0.1:8765", RoomName("den")


def memory(
    folder: Path, *, server: str = SERVER, room: RoomName = ROOM, name: str = "ada"
) -> SeatTokenFile:
    return SeatTokenFile(folder, server, room, name)


def remembered(folder: Path, token: str = "secret") -> None:
    with memory(folder) as seat:
        seat.remember(Token(token))
        assert seat.trouble is None


def test_nothing_is_remembered_at_first(tmp_path: Path) -> None:
    with memory(tmp_path / "state") as seat:
        assert seat.recall() is None
        assert seat.trouble is None


def test_the_same_client_later_gets_its_seat_back(tmp_path: Path) -> None:
    remembered(tmp_path)
    with memory(tmp_path) as seat:
        assert seat.recall() == "secret"


@pytest.mark.parametrize("other", ["ws://localhost:8765", "ws://[::1]:8765"])
def test_this_machine_by_another_name_is_the_same_server(tmp_path: Path, other: str) -> None:
    remembered(tmp_path)
    assert memory(tmp_path, server=other).has_seat
    with memory(tmp_path, server=other) as seat:
        assert seat.recall() == "secret"
    assert kept_names(tmp_path, other, ROOM) == ["ada"]
    assert kept_names(tmp_path, "ws://localhost:80", ROOM) == []


def test_a_token_is_looked_at_while_another_client_uses_it(tmp_path: Path) -> None:
    assert memory(tmp_path).peek() is None
    with memory(tmp_path) as seat:
        seat.remember(Token("secret"))
        assert memory(tmp_path).peek() == "secret"
        (file,) = tmp_path.glob("*.json")
        file.write_text("damaged")
        assert memory(tmp_path).peek() is None
    assert file.exists()


@pytest.mark.parametrize(
    "other",
    [{"server": "ws://example.org:80"}, {"room": RoomName("attic")}, {"name": "bob"}],
)
def test_a_seat_elsewhere_is_another_seat(tmp_path: Path, other: dict[str, str]) -> None:
    remembered(tmp_path)
    found = {"server": SERVER, "room": "den", "name": "ada"} | other
    with SeatTokenFile(tmp_path, found["server"], RoomName(found["room"]), found["name"]) as seat:
        assert seat.recall() is None


def test_file_and_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "state"
    remembered(folder)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_folder_that_others_could_read_is_for_its_owner_alone_from_now(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    remembered(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_client_beside_the_first_takes_no_seat_from_it(tmp_path: Path) -> None:
    remembered(tmp_path, "first")
    with memory(tmp_path) as first, memory(tmp_path) as second:
        assert first.recall() == "first"
        assert second.recall() is None
        second.remember(Token("second"))
        with memory(tmp_path) as third:
            assert third.recall() is None
    with memory(tmp_path) as first, memory(tmp_path) as second:
        assert {first.recall(), second.recall()} == {"first", "second"}


def test_a_new_seat_is_held_from_the_moment_it_is_remembered(tmp_path: Path) -> None:
    with memory(tmp_path) as first, memory(tmp_path) as second:
        first.remember(Token("first"))
        assert second.recall() is None


def test_the_same_token_again_changes_nothing(tmp_path: Path) -> None:
    with memory(tmp_path) as seat:
        seat.remember(Token("secret"))
        (before,) = tmp_path.iterdir()
        inode = before.stat().st_ino
        seat.remember(Token("secret"))
        assert before.stat().st_ino == inode


def test_a_new_token_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    with memory(tmp_path) as seat:
        seat.remember(Token("old"))
        seat.remember(Token("new"))
    assert len(list(tmp_path.iterdir())) == 1
    with memory(tmp_path) as seat:
        assert seat.recall() == "new"


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    with memory(tmp_path) as seat:
        seat.remember(Token("secret"))
        seat.forget()
        seat.forget()
    assert list(tmp_path.iterdir()) == []


def test_what_another_already_deleted_can_be_forgotten(tmp_path: Path) -> None:
    with memory(tmp_path) as seat:
        seat.remember(Token("secret"))
        (file,) = tmp_path.iterdir()
        file.unlink()
        seat.forget()
        assert seat.recall() is None


@pytest.mark.parametrize("damage", [b"", b"{", b'{"token": 1}', b"\xff\xfe", b"[]"])
def test_a_damaged_file_is_forgotten_and_said(tmp_path: Path, damage: bytes) -> None:
    remembered(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    with memory(tmp_path) as seat:
        assert seat.recall() is None
        assert seat.trouble is not None
        assert "damaged" in seat.trouble
    assert not file.exists()


def test_a_file_that_goes_away_meanwhile_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(tmp_path)
    real_open = os.open

    def gone(path: Path, flags: int) -> int:
        path.unlink()
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", gone)
    with memory(tmp_path) as seat:
        assert seat.recall() is None
        assert seat.trouble is None


def test_a_folder_that_cannot_be_read_remembers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(tmp_path)

    def denied(path: Path, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path, flags)

    monkeypatch.setattr(os, "open", denied)
    with memory(tmp_path) as seat:
        assert seat.recall() is None
        assert seat.trouble == "remembered seats cannot be read: Permission denied"


def test_a_folder_that_cannot_be_made_keeps_nothing_and_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with memory(tmp_path / "file" / "state") as seat:
        seat.remember(Token("secret"))
        assert seat.trouble == "the seat cannot be remembered: Not a directory"
        assert not seat.is_kept


def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with memory(tmp_path) as seat:
        seat.remember(Token("secret"))
        assert seat.trouble == "the seat cannot be remembered: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_the_state_folder_of_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder().name == "ttt-client"


def test_seats_that_nobody_took_back_for_long_are_forgotten(tmp_path: Path) -> None:
    def files() -> set[str]:
        return {file.name for file in tmp_path.glob("*.json")}

    long_ago = time.time() - 31 * 86_400
    with (
        SeatTokenFile(tmp_path, "ws://h:1", RoomName("used"), "ada") as used,
        SeatTokenFile(tmp_path, "ws://h:1", RoomName("old"), "ada") as old,
    ):
        used.remember(Token("used"))
        kept = files()
        old.remember(Token("old"))
    for file in tmp_path.glob("*.json"):
        os.utime(file, (long_ago, long_ago))
    with SeatTokenFile(tmp_path, "ws://h:1", RoomName("used"), "ada") as used:
        assert used.recall() == "used"
        with SeatTokenFile(tmp_path, "ws://h:1", RoomName("new"), "ada") as new:
            new.remember(Token("new"))
            assert len(files()) == 2
            assert kept < files(), "and the one in use is there"
