"""Rank the players, with tie-breaks. Pure.

The tie-breaks are those of the FIDE Handbook C.07, in the usual order for each form:

    Swiss         points, Buchholz, Sonneborn-Berger, direct encounter, wins
    round-robin   points, direct encounter, Sonneborn-Berger, wins
    arena, simul  points, wins (an arena doubles points in a streak, as lichess does)
    knockout      the round reached, points
    match         points, wins
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.rules.evolve import added_up
from ttt_server.tournaments.rules.forms import bracket, players_of
from ttt_server.tournaments.rules.values import DRAW, NOT_PLAYED_OUT, WIN, Entrant, Tournament


class Row(NamedTuple):
    """A player's row. Points and tie-breaks are in half or quarter points."""

    rank: int
    """Shared by players who are equal in every tie-break."""
    entrant: Entrant
    buchholz: int = 0
    """The opponents' points, in half points."""
    sonneborn_berger: int = 0
    """The points of beaten opponents plus half those of drawn ones, in quarter points."""
    direct: int = 0
    """Half points against the players with the same points."""
    reached: int = 0
    """The player's last round of a knockout; one more for the winner."""
    is_left_out: bool = False
    """Whether the player's results do not count; see `left_out`."""


def standings(tournament: Tournament, most: int | None = None) -> list[Row]:
    """Return the best `most` players, or all; without removed ones and an unused stand-in."""
    order = _ORDER.get(tournament.settings.form, attrgetter("entrant.points", "entrant.wins"))
    out = left_out(tournament)
    if out:
        games = tuple(each for each in tournament.games if out.isdisjoint((each.X, each.O)))
        tournament = added_up(replace(tournament, games=games))
    keyed = [
        ((row.entrant.id not in out, *order(row)), -row.entrant.number, row)
        for row in _rows(tournament, tournament.listed)
    ]
    keyed.sort(reverse=True)  # numbers are unique, so rows are never compared
    first: dict[tuple[int, ...], int] = {}
    return [
        row._replace(rank=first.setdefault(key, at), is_left_out=row.entrant.id in out)
        for at, (key, _, row) in enumerate(islice(keyed, most), start=1)
    ]


def left_out(tournament: Tournament) -> frozenset[SessionId]:
    """Return who left a round-robin with less than half of their games played out.

    The standings leave out all results of these players.

    Source: FIDE Handbook C.05, "Withdrawals".
    """
    if tournament.settings.form is not Form.ROUND_ROBIN:
        return frozenset()
    field = [it for it in players_of(tournament) if it.is_active or it.played]
    planned = (len(field) - 1) * tournament.settings.games
    played = Counter(
        player
        for game in tournament.games
        if game.counts and game.reason not in NOT_PLAYED_OUT
        for player in (game.X, game.O)
    )
    gone = (it.id for it in field if not it.is_active)
    return frozenset(player for player in gone if 2 * played[player] < planned)


_ORDER: dict[Form, Callable[[Row], tuple[int, ...]]] = {
    Form.SWISS: attrgetter(
        "entrant.points", "buchholz", "sonneborn_berger", "direct", "entrant.wins"
    ),
    Form.ROUND_ROBIN: attrgetter("entrant.points", "direct", "sonneborn_berger", "entrant.wins"),
    Form.KNOCKOUT: attrgetter("reached", "entrant.points"),
}
"""The sort keys, the most important first; higher is better. Elsewhere: points and wins."""


def _rows(tournament: Tournament, entrants: list[Entrant]) -> list[Row]:
    form = tournament.settings.form
    if form is Form.KNOCKOUT:
        reached = _reached(tournament)
        return [Row(0, it, reached=reached.get(it.id, 0)) for it in entrants]
    if form not in (Form.SWISS, Form.ROUND_ROBIN):
        return [Row(0, it) for it in entrants]
    buchholz: defaultdict[SessionId, int] = defaultdict(int)
    berger: defaultdict[SessionId, int] = defaultdict(int)
    for game in tournament.games:
        if not game.counts:
            continue
        for player in (game.X, game.O):
            points = tournament[game.opponent(player)].points
            buchholz[player] += points
            if game.winner == player:
                berger[player] += 2 * points
            elif game.is_drawn:
                berger[player] += points
    for it in entrants:  # an unplayed round counts as one against an equal (C.07, article 16)
        buchholz[it.id] += len(it.byes) * it.points
    direct = _direct(tournament, entrants)
    return [Row(0, it, buchholz[it.id], berger[it.id], direct[it.id]) for it in entrants]


def _direct(tournament: Tournament, entrants: list[Entrant]) -> defaultdict[SessionId, int]:
    """Return each player's half points from games against players with equal points."""
    points = {it.id: it.points for it in entrants}
    direct: defaultdict[SessionId, int] = defaultdict(int)
    for game in tournament.games:
        if game.counts and points.get(game.X) == points.get(game.O):
            for player in (game.X, game.O):
                direct[player] += WIN * (game.winner == player) + DRAW * game.is_drawn
    return direct


def _reached(tournament: Tournament) -> dict[SessionId, int]:
    rounds = bracket(tournament)
    reached = {
        player: number
        for number, ties in enumerate(rounds, start=1)
        for tie in ties
        for player in (tie.first, tie.second)
        if player is not None
    }
    final = rounds[-1][0]
    if len(rounds[-1]) == 1 and final.winner is not None:
        reached[final.winner] = len(rounds) + 1
    return reached
