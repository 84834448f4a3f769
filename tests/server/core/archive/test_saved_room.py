import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.examples import NAME, NOW, against_ai, duel, founded, log_of_two_games
from ttt_protocol.codes import Reason
from ttt_protocol.state import ChatMode, ClockSetting
from ttt_server.core.archive import saved_room
from ttt_server.core.archive.saved_room import is_between_games, restore, save
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import evolve_all
from ttt_server.core.play import end
from ttt_server.core.room import NO_OFFERS, Room

LOG = log_of_two_games()
CLOCK = ClockSetting(initial_s=60, increment_s=1)


def test_every_field_of_a_room_is_saved() -> None:
    """A field that is forgotten here would be lost where the events before it are dropped."""
    saved = set(saved_room._SavedRoom.model_fields)
    assert saved - {"version"} == {each.name for each in fields(Room)} - {"name"}


@pytest.mark.parametrize(
    "room",
    [
        Room(NAME),
        founded(),
        duel(4, 0),
        duel(0, 3, 1, 4, 2),
        duel(4, clock=CLOCK),
        against_ai(4),
        duel(4).replace(password_hash="salt.hash", chat=ChatMode.OFF),
    ],
)
def test_what_is_saved_is_restored(room: Room) -> None:
    assert restore(NAME, save(room)) == room


@given(st.integers(0, len(LOG)))
def test_a_reader_may_begin_at_any_event(first: int) -> None:
    before = evolve_all(Room(NAME), LOG[:first])
    after = evolve_all(restore(NAME, save(before)), LOG[first:])
    assert after == evolve_all(Room(NAME), LOG)


def test_no_offers_are_one_object() -> None:
    assert restore(NAME, save(duel(4))).offers is NO_OFFERS


@pytest.mark.parametrize("change", [{"version": 2}, {"seq": None}, {"score": {}, "game": 7}])
def test_a_room_that_this_server_does_not_know(change: dict[str, object]) -> None:
    saved = json.loads(save(duel(4))) | change
    with pytest.raises(InvalidLog, match=f"{NAME}: a saved room cannot be read"):
        restore(NAME, json.dumps(saved).encode())


def test_a_room_with_a_game_that_cannot_be() -> None:
    saved = json.loads(save(duel(4)))
    saved["game"]["moves"] = [4, 4]
    with pytest.raises(InvalidLog):
        restore(NAME, json.dumps(saved).encode())


def test_a_room_is_saved_between_its_games() -> None:
    playing = duel(4)
    assert is_between_games(founded())
    assert not is_between_games(playing)
    assert is_between_games(evolve_all(playing, end(playing, Reason.AGREEMENT, None, NOW)))
