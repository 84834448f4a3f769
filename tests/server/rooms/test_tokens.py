import stat
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_protocol.state import PersonId, RoomName, SessionId
from ttt_server.rooms.tokens import (
    _LETTERS,
    BadToken,
    TokenSigner,
    make_secret,
    new_secret,
    new_sessions,
    read_secret,
)

DEN, LAIR = RoomName("den"), RoomName("lair")
ADA = SessionId("ada1")
SIGNER = TokenSigner(b"s" * 32)


def test_a_token_names_its_session() -> None:
    assert SIGNER.session(DEN, SIGNER.token(DEN, ADA)) == ADA


def test_a_token_is_good_in_its_room_alone() -> None:
    with pytest.raises(BadToken):
        SIGNER.session(LAIR, SIGNER.token(DEN, ADA))


def test_a_token_of_another_installation() -> None:
    with pytest.raises(BadToken):
        TokenSigner(b"t" * 32).session(DEN, SIGNER.token(DEN, ADA))


def test_room_and_session_cannot_run_into_each_other() -> None:
    # A name of a room holds no dot, so what is signed has one reading.
    token = SIGNER.token(DEN, ADA)
    _, signature = token.split(".")
    for forged in (f"den.{token}", f"den.ada1.{signature}", f".{signature}", f"ada1..{signature}"):
        with pytest.raises(BadToken):
            SIGNER.session(RoomName("den"), forged)


@given(st.text())
def test_forged_tokens(forged: str) -> None:
    with pytest.raises(BadToken):
        SIGNER.session(DEN, forged)


@given(st.data())
def test_one_letter_changed(data: st.DataObject) -> None:
    token = SIGNER.token(DEN, ADA)
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.characters(codec="ascii").filter(lambda c: c != token[at]))
    with pytest.raises(BadToken):
        SIGNER.session(DEN, token[:at] + letter + token[at + 1 :])


def test_sessions_are_new_and_fit_a_token() -> None:
    sessions = set(islice(new_sessions(), 1000))
    assert len(sessions) == 1000
    assert {len(session) for session in sessions} == {12}
    assert all(session.isascii() and session.isalnum() for session in sessions)
    assert max(len(SIGNER.token(DEN, session)) for session in sessions) <= 256


def test_secrets_are_new() -> None:
    assert len(new_secret()) == 32
    assert new_secret() != new_secret()


def test_the_secret_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    assert read_secret(path) is None
    secret = make_secret(path)
    assert len(secret) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_secret(path) == secret
    assert list(tmp_path.iterdir()) == [path]


def test_a_secret_that_was_not_finished_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "secret.new").write_bytes(b"")
    assert len(make_secret(tmp_path / "secret")) == 32
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_secret_that_is_open_to_others_is_warned_of(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "secret"
    secret = make_secret(path)
    path.chmod(mode)
    assert read_secret(path) == secret
    assert caplog.messages == [f"{path} is open to other users: chmod 600 {path}"]
    path.chmod(0o600)
    caplog.clear()
    assert read_secret(path) == secret
    assert caplog.messages == []


@pytest.mark.parametrize("content", [b"", b"s" * 15])
def test_a_secret_that_is_too_short_signs_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(OSError, match="too short") as caught:
        read_secret(path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == content


def test_a_secret_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        read_secret(tmp_path)
    with pytest.raises(FileNotFoundError):
        make_secret(tmp_path / "nowhere" / "secret")


def test_every_letter_of_a_session_is_as_likely() -> None:
    assert set(Counter(_LETTERS).values()) == {8}
    assert len(_LETTERS) == 256


def test_a_spectators_secret_names_the_spectator() -> None:
    assert SIGNER.watcher(DEN, None, SIGNER.watch(DEN, None, ADA)) == ADA
    assert SIGNER.watcher(DEN, "hash", SIGNER.watch(DEN, "hash", ADA)) == ADA


@pytest.mark.parametrize(("room", "password_hash"), [(LAIR, "hash"), (DEN, None), (DEN, "other")])
def test_a_spectators_secret_is_good_for_one_room_with_one_password(
    room: RoomName, password_hash: str | None
) -> None:
    with pytest.raises(BadToken):
        SIGNER.watcher(room, password_hash, SIGNER.watch(DEN, "hash", ADA))


def test_a_spectators_secret_owns_no_seat_and_a_token_does_not_watch() -> None:
    with pytest.raises(BadToken):
        SIGNER.session(DEN, SIGNER.watch(DEN, None, ADA))
    with pytest.raises(BadToken):
        SIGNER.watcher(DEN, None, SIGNER.token(DEN, ADA))


KEY = "k" * 16
MINUTE = 60_000
NOON = 29_800_000 * MINUTE


@given(st.integers(0, 10 * MINUTE), st.integers(0, MINUTE))
def test_a_claim_key_finds_the_player_again_for_ten_minutes(later: int, offset: int) -> None:
    first = next(SIGNER.claimed(DEN, KEY, NOON + offset))
    assert first in SIGNER.claimed(DEN, KEY, NOON + offset + later)
    assert first not in SIGNER.claimed(DEN, KEY, NOON + offset + later + 11 * MINUTE)


def test_a_claim_key_is_good_in_its_room_and_installation_alone() -> None:
    first = next(SIGNER.claimed(DEN, KEY, NOON))
    others = (
        SIGNER.claimed(LAIR, KEY, NOON),
        SIGNER.claimed(DEN, "l" * 16, NOON),
        TokenSigner(b"t" * 32).claimed(DEN, KEY, NOON),
        [SIGNER.claimed_watcher(DEN, KEY)],
    )
    assert all(first not in other for other in others)
    assert len(first) == 12


def test_a_spectator_of_a_claim_key_is_the_same_at_any_time() -> None:
    assert SIGNER.claimed_watcher(DEN, KEY) == SIGNER.claimed_watcher(DEN, KEY)
    assert SIGNER.claimed_watcher(DEN, KEY) != SIGNER.claimed_watcher(LAIR, KEY)


@pytest.mark.parametrize("epoch", ["", "x", "-1", "9" * 40])
def test_an_epoch_is_a_short_number(epoch: str) -> None:
    person, _, signature = SIGNER.person(PersonId("ada1"), 0).split(".")
    with pytest.raises(BadToken):
        SIGNER.person_of(f"{person}.{epoch}.{signature}")
