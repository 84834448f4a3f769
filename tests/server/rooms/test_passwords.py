import hashlib
from typing import Any

import pytest

from ttt_server.rooms import passwords as locks_module
from ttt_server.rooms.passwords import PasswordHasher

LOCKS = PasswordHasher(b"s" * 32)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks_module, "_COST", 2)


def test_the_password_opens_it_and_nothing_else_does() -> None:
    lock = LOCKS.make("swordfish")
    assert LOCKS.opens(lock, "swordfish")
    for wrong in ("", "Swordfish", "swordfish ", "swordfis", "swordfish\0", lock):
        assert not LOCKS.opens(lock, wrong)


@pytest.mark.parametrize("password", ["a", "ü" * 128, "😀", "\0", "."])
def test_any_text_is_a_password(password: str) -> None:
    assert LOCKS.opens(LOCKS.make(password), password)


def test_equal_passwords_have_different_locks() -> None:
    first, second = LOCKS.make("swordfish"), LOCKS.make("swordfish")
    assert first != second
    assert not set(first.split(".")) & set(second.split("."))
    assert "swordfish" not in first


def test_it_is_no_use_without_the_secret() -> None:
    assert not PasswordHasher(b"t" * 32).opens(LOCKS.make("swordfish"), "swordfish")


def test_a_lock_that_was_cut_off_opens_to_nobody() -> None:
    lock = LOCKS.make("swordfish")
    for cut in (lock[:-1], lock.partition(".")[0], ""):
        assert not LOCKS.opens(cut, "swordfish")


def test_a_password_that_opened_it_is_known_and_no_other() -> None:
    locks = PasswordHasher(b"s" * 32)
    lock, other = locks.make("swordfish"), locks.make("swordfish")
    assert not locks.knows(lock, "swordfish"), "it was made, and not opened yet"
    locks.opens(lock, "wrong")
    assert not locks.knows(lock, "wrong")
    locks.opens(lock, "swordfish")
    assert locks.knows(lock, "swordfish")
    assert not locks.knows(lock, "wrong")
    assert not locks.knows(other, "swordfish")


def test_not_all_locks_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks_module, "_REMEMBERED", 2)
    locks = PasswordHasher(b"s" * 32)
    made = [locks.make("swordfish") for _ in range(3)]
    for lock in made:
        assert locks.opens(lock, "swordfish")
    assert locks.knows(made[-1], "swordfish")
    assert sum(locks.knows(lock, "swordfish") for lock in made) <= 2


def test_to_guess_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    asked: list[dict[str, Any]] = []

    def scrypt(_password: bytes, **options: Any) -> bytes:
        asked.append(options)
        return b"h" * int(options["dklen"])

    monkeypatch.setattr(hashlib, "scrypt", scrypt)
    lock = LOCKS.make("swordfish")
    LOCKS.opens(lock, "x")
    assert [(each["n"], each["r"]) for each in asked] == [(2**14, 8)] * 2
    assert asked[0]["salt"] == asked[1]["salt"]
    assert len(asked[0]["salt"]) == 16
