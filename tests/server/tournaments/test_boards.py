"""The rooms of an event's games in which the players have changed seats, in a fair opening."""

import pytest

from tests.server.hubs import SIGNER, Hubs, join_room, seat
from tests.server.tournaments.rules.tournaments import Evening, names
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.commands import Choose, Play
from ttt_protocol.state import Mark
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.core.play import choose, end, next_game, play
from ttt_server.core.room import game_of
from ttt_server.rooms.hub import Hub
from ttt_server.tournaments.boards import Boards
from ttt_server.tournaments.rules.values import Game


@pytest.fixture
async def hub(hubs: Hubs) -> Hub:
    return hubs.open()


@pytest.fixture
def boards(hub: Hub) -> Boards:
    return Boards(hub, lambda _: None)


async def open_game(hub: Hub, boards: Boards, choice: Choice) -> Game:
    """A game whose first stone lies, and in which O has made this choice."""
    evening = Evening(Form.MATCH, names(2), opening=Opening.PIE)
    evening.start()
    evening.step()
    game = evening.it.game(1)
    await boards.open(evening.it, game)
    first = Play(game=1, ply=0, cell=4)
    await hub.upkeep.change(game.room, lambda room, now: play(room, Mark.X, first, now))
    made = Choose(game=1, ply=1, choice=choice)
    await hub.upkeep.change(game.room, lambda room, now: choose(room, Mark.O, made, now))
    return game


CHOICES = pytest.mark.parametrize(
    ("choice", "result"), [(Choice.STAY, Result.X), (Choice.SWAP, Result.O)]
)


@CHOICES
async def test_a_result_is_that_of_the_players_who_began_it(
    hub: Hub, boards: Boards, choice: Choice, result: Result
) -> None:
    game = await open_game(hub, boards, choice)
    assert boards.is_swapped(game) is (choice is Choice.SWAP)
    assert await boards.result(game) is None
    won = Reason.RESIGNATION
    await hub.upkeep.change(game.room, lambda room, now: end(room, won, Mark.X, now))
    assert await boards.result(game) == (result, "resignation")
    await hub.upkeep.change(game.room, next_game)
    assert await boards.result(game) == (result, "resignation")  # from its record


async def test_a_draw_is_a_draw(hub: Hub, boards: Boards) -> None:
    game = await open_game(hub, boards, Choice.SWAP)
    await hub.upkeep.change(game.room, lambda room, now: end(room, Reason.AGREEMENT, None, now))
    assert await boards.result(game) == (Result.DRAW, "agreement")


@CHOICES
async def test_the_result_of_the_event_ends_the_game_for_the_same_player(
    hub: Hub, boards: Boards, choice: Choice, result: Result
) -> None:
    game = await open_game(hub, boards, choice)
    await boards.end(game._replace(result=result))
    live = hub.registry.get(game.room)
    assert live is not None
    outcome = game_of(live.room).outcome
    assert outcome is not None
    assert outcome.winner is Mark.X


@pytest.mark.parametrize("choice", [Choice.STAY, Choice.SWAP])
async def test_a_player_is_away_in_either_seat(hub: Hub, boards: Boards, choice: Choice) -> None:
    game = await open_game(hub, boards, choice)
    assert boards.away(game, 0).players == {game.X, game.O}
    ada = await join_room(hub, room=game.room, token=SIGNER.token(game.room, game.X))
    assert seat(ada) is (Mark.O if choice is Choice.SWAP else Mark.X)
    assert boards.away(game, 0).players == {game.O}
