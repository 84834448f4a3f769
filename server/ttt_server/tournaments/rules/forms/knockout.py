"""A knockout: ties of one or several games; the loser of a tie is out.

A tie that is level after its games goes on with two more, sides changing, and then with one in
which a draw counts as a win for O: an armageddon game.
"""

from typing import NamedTuple

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Result
from ttt_server.tournaments.rules.forms.base import Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.values import DRAW, WIN, Entrant, Game, Tournament

EXTRA_GAMES = 2


class Tie(NamedTuple):
    """Two places of the bracket; `None` is an empty one."""

    first: SessionId | None
    second: SessionId | None
    games: tuple[Game, ...] = ()
    winner: SessionId | None = None
    is_decided: bool = False
    """Whether the winner is known, or known to be none."""


def knockout(it: Tournament) -> Step:
    """Return the next game of each tie, or the first games of the next round."""
    if it.open_games:
        return None
    rounds = bracket(it)
    ties = rounds[-1]
    if len(ties) == 1 and ties[0].is_decided:
        return Over() if it.active else Over(EarlyEnd.WITHDREW)
    if it.round + 1 < len(rounds):
        return Pairing()  # walkovers have decided this round
    pairs = tuple(
        _next_game(it, tie.first, tie.second, len(tie.games))
        for tie in ties
        if not tie.is_decided and tie.first is not None and tie.second is not None
    )
    if it.round == len(rounds):
        return Pairing(pairs, begins_round=False)
    return Pairing(pairs, tuple(tie.winner for tie in ties if tie.winner is not None))


def bracket(tournament: Tournament) -> list[list[Tie]]:
    """Return the ties of each round so far; the last round is the current one.

    Players are seeded in the order of entering, so the first two can only meet in the final.
    """
    players = [it.id for it in tournament.entrants.values() if not it.is_stand_in]
    size = max(2, 1 << (len(players) - 1).bit_length())
    places: list[SessionId | None] = [
        players[seed] if seed < len(players) else None for seed in seeds(size)
    ]
    rounds: list[list[Tie]] = []
    while True:
        number = len(rounds) + 1
        ties = [
            _tie(tournament, number, first, second)
            for first, second in zip(places[::2], places[1::2], strict=True)
        ]
        rounds.append(ties)
        if len(ties) == 1 or not all(tie.is_decided for tie in ties):
            return rounds
        places = [tie.winner for tie in ties]


def seeds(size: int) -> list[int]:
    """Return the order of the seeds, from 0, in a bracket of a power of two."""
    order = [0]
    while len(order) < size:
        order = [place for seed in order for place in (seed, 2 * len(order) - 1 - seed)]
    return order


def _tie(
    tournament: Tournament, number: int, first: SessionId | None, second: SessionId | None
) -> Tie:
    if first is None or second is None:
        return Tie(first, second, winner=first or second, is_decided=True)
    games = tuple(
        game
        for game in tournament.games_of_round(number)
        if {game.X, game.O} == {first, second} and (game.is_open or game.counts)
    )
    players = (tournament[first], tournament[second])
    if any(game.is_open for game in games):
        return Tie(first, second, games)
    winner = _winner(tournament, players, games)
    both_gone = not any(it.is_active for it in players) or (
        bool(games) and games[-1].result is Result.NEITHER
    )
    return Tie(first, second, games, winner, winner is not None or both_gone)


def _winner(
    tournament: Tournament, players: tuple[Entrant, Entrant], games: tuple[Game, ...]
) -> SessionId | None:
    """Return who is ahead by more than the rest of this stage can give."""
    first, second = (_points(games, it.id) for it in players)
    planned = tournament.settings.games
    stage = planned if len(games) <= planned else planned + EXTRA_GAMES
    if abs(first - second) > WIN * max(0, stage - len(games)):
        return players[0].id if first > second else players[1].id
    active = [it.id for it in players if it.is_active]
    return active[0] if len(active) == 1 else None


def _points(games: tuple[Game, ...], player: SessionId) -> int:
    wins = sum(it.winner == player for it in games)
    return WIN * wins + DRAW * sum(it.is_drawn for it in games)


def _next_game(tournament: Tournament, first: SessionId, second: SessionId, played: int) -> Pair:
    x, o = (first, second) if played % 2 == 0 else (second, first)
    last = played >= tournament.settings.games + EXTRA_GAMES
    return Pair(x, o, armageddon=last)
