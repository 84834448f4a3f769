from typing import Any

import pytest

from tests.server.examples import ADA, BOB, NAME, NOW, O, X, decided, duel, moved
from ttt_engine import Position
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Accept, Join, Offer
from ttt_protocol.state import GivenSettings, OfferKind, Rules
from ttt_server.core.archive.saved_room import restore, save
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.join import Applicant, let_in
from ttt_server.core.play import end, next_game
from ttt_server.core.room import Room, game_of


def create(settings: dict[str, Any]) -> Decision:
    join = Join(name="Ada", settings=GivenSettings(**settings))
    return let_in(Room(NAME), Applicant(join, ADA), NOW)


FOUR = {"rules": Rules(columns=7, rows=6, in_a_row=4, gravity=True)}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"start": (0, 4, 0)}, "settings.start: move 3: a1 is taken"),
        ({"start": (0, 9)}, "settings.start: move 2: 9: the cells of this board are 0 to 8"),
        ({"start": (0, 3, 1, 4, 2)}, "settings.start: move 5: it ends the game"),
        ({"start": (0, 3, 1, 4, 2, 5)}, "settings.start: move 6: the game is over"),
        ({"start": (0,), **FOUR}, "settings.start: move 1: nothing lies below a1"),
    ],
)
def test_a_game_cannot_go_on_from_there(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        create(settings)
    assert refused.value.reason == words


@pytest.mark.parametrize("settings", [{}, {"start": (0, 3)}, {"start": (35, 28), **FOUR}])
def test_a_game_can_go_on_from_there(settings: dict[str, Any]) -> None:
    assert create(settings).events[0].settings.start == settings.get("start", ())  # type: ignore[union-attr]


def test_every_game_begins_with_the_moves_of_the_start() -> None:
    room = duel(start=(0, 3, 1))
    game = game_of(room)
    assert (game.ply, game.turn, game.position) == (3, O, Position.after((0, 3, 1)))
    over = evolve_all(room, end(room, Reason.RESIGNATION, X, NOW))
    rematch = game_of(evolve_all(over, next_game(over, NOW)))
    assert (rematch.number, rematch.moves) == (2, (0, 3, 1))
    assert game_of(restore(NAME, save(moved(room, 4)))).moves == (0, 3, 1, 4)


def test_a_move_of_the_start_is_not_taken_back() -> None:
    room = duel(start=(0, 3, 1))
    for player in (ADA, BOB):
        with pytest.raises(Refused, match="not_allowed"):
            decided(room, player, Offer(kind=OfferKind.TAKEBACK))
    played = moved(room, 4)
    asked = evolve_all(played, decided(played, BOB, Offer(kind=OfferKind.TAKEBACK)))
    back = evolve_all(asked, decided(asked, ADA, Accept(kind=OfferKind.TAKEBACK)))
    assert game_of(back).moves == (0, 3, 1)
