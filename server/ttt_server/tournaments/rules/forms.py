"""The forms of tournaments: each decides who plays whom next. Pure."""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from math import ceil
from typing import NamedTuple

from ttt_protocol.state import Mark, SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.rules.values import DRAW, WIN, Entrant, Game, Tournament


class Pair(NamedTuple):
    """Two players, by seat."""

    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    armageddon: bool = False
    again: bool = False
    """Whether the two have just met, as no other player was free."""


class Pairing(NamedTuple):
    """The games of a round, possibly none, or those that an arena can start now."""

    pairs: tuple[Pair, ...] = ()
    byes: tuple[SessionId, ...] = ()
    bye_points: int = 0
    """Half points for a bye."""
    begins_round: bool = True


class Over(NamedTuple):
    """The tournament ends."""

    early: EarlyEnd | None = None


class Candidate(NamedTuple):
    """A player to be paired in the next round of a Swiss."""

    id: SessionId
    points: int
    seats: str
    """The seats of the games so far in order, like `XOX`; empty for a stand-in."""
    opponents: tuple[int, ...]
    """The candidates the player has met, by index."""
    byes: int
    is_late: bool
    """Whether the player has missed rounds and has had no game or bye yet."""
    is_stand_in: bool


class Field(NamedTuple):
    """The players of the next round of a Swiss. Pairing them is a search, in `matching`."""

    candidates: tuple[Candidate, ...]
    """In order of the standings; with a stand-in only if the others are odd in number."""


Step = Pairing | Field | Over | None
"""What happens next; `None` while there is nothing to do."""


def seated(first: Entrant, second: Entrant) -> Pair:
    """Seat two players: X for who had it less often, else not last, else the first."""
    if first.as_x != second.as_x:
        first_is_x = first.as_x < second.as_x
    elif first.last_seat != second.last_seat:
        first_is_x = first.last_seat is not Mark.X and second.last_seat is not Mark.O
    else:
        first_is_x = first.last_seat is not Mark.X
    return Pair(first.id, second.id) if first_is_x else Pair(second.id, first.id)


def players_of(it: Tournament) -> list[Entrant]:
    """Return everyone who ever entered, in that order, without a stand-in."""
    return [each for each in it.entrants.values() if not each.is_stand_in]


# An arena: free players are paired at once, with players of similar points.

REMATCH_AFTER_MS = 10_000
"""Two who have just met are paired again once no other player was free for this long."""


def arena(it: Tournament, present: AbstractSet[SessionId], now: int) -> Step:
    """Pair players who are free and present with their neighbours in the standings.

    When the time is over, the games under way still count.
    """
    if it.ends_at is not None and now >= it.ends_at:
        return None if it.open_games else Over()
    busy = it.busy
    here = (each for each in it.active if each.ai is not None or each.id in present)
    free = [each for each in here if each.id not in busy]
    free.sort(key=lambda each: (-each.points, each.number))
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        at = next((i for i, each in enumerate(free) if _may_meet(player, each, now)), None)
        if at is not None:
            other = free.pop(at)
            pairs.append(seated(player, other)._replace(again=_have_just_met(player, other)))
    return Pairing(tuple(pairs), begins_round=not it.round) if pairs else None


def _may_meet(player: Entrant, other: Entrant, now: int) -> bool:
    if player.ai is not None and other.ai is not None:
        return False  # AIs are there for the people
    both_free_since = max(player.free_since, other.free_since)
    return not _have_just_met(player, other) or now - both_free_since >= REMATCH_AFTER_MS


def _have_just_met(player: Entrant, other: Entrant) -> bool:
    return player.last_opponent == other.id and other.last_opponent == player.id


# A knockout: ties of one or several games; the loser of a tie is out.
#
# A tie that is level after its games goes on with two more, sides changing, and then with one in
# which a draw counts as a win for O: an armageddon game.

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
    players = [it.id for it in players_of(tournament)]
    size = max(2, 1 << (len(players) - 1).bit_length())
    places = [players[seed] if seed < len(players) else None for seed in seeds(size)]
    rounds: list[list[Tie]] = []
    while True:
        pairs = zip(places[::2], places[1::2], strict=True)
        ties = [_tie(tournament, len(rounds) + 1, *pair) for pair in pairs]
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


def _tie(it: Tournament, number: int, first: SessionId | None, second: SessionId | None) -> Tie:
    if first is None or second is None:
        return Tie(first, second, winner=first or second, is_decided=True)
    games = tuple(
        game
        for game in it.games_of_round(number)
        if {game.X, game.O} == {first, second} and (game.is_open or game.counts)
    )
    players = (it[first], it[second])
    if any(game.is_open for game in games):
        return Tie(first, second, games)
    winner = _winner(it, players, games)
    both_gone = not any(each.is_active for each in players) or (
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


# A match: two players, several games, alternating sides, until it is decided.


def match(it: Tournament) -> Step:
    """Return the next game, unless the match is decided."""
    if it.open_games:
        return None
    players = [each for each in players_of(it) if each.last_seat] or list(it.active)
    if len(players) < 2:
        return Over(EarlyEnd.WITHDREW)
    first, second = players[:2]
    played = sum(game.counts for game in it.games)
    left = it.settings.games - played
    if left <= 0 or abs(first.points - second.points) > WIN * left:
        return Over()
    if not (first.is_active and second.is_active):
        return Over(EarlyEnd.WITHDREW)
    return Pairing((Pair(first.id, second.id) if played % 2 == 0 else Pair(second.id, first.id),))


# A round-robin: all play all, by the Berger tables.
#
# Source: FIDE Handbook C.05, annex 1. The last player stays in place while the others rotate; with
# an odd number of players, the last place is a bye.


def round_robin(it: Tournament) -> Step:
    """Return the next round. The table is played `games` times, with sides swapped each time.

    Withdrawals may leave a round without games.
    """
    if it.open_games:
        return None
    players = players_of(it)
    cycle, number = divmod(it.round, rounds_of(len(players)))
    if cycle >= it.settings.games:
        return Over()
    if len(it.active) < 2:
        return Over(EarlyEnd.WITHDREW)
    pairs: list[Pair] = []
    byes: list[SessionId] = []
    for i, j in berger(len(players), number):
        if max(i, j) == len(players):
            left_over = players[min(i, j)]
            byes += [left_over.id] if left_over.is_active else []
        elif players[i].is_active and players[j].is_active:
            x, o = (players[i], players[j]) if cycle % 2 == 0 else (players[j], players[i])
            pairs.append(Pair(x.id, o.id))
    return Pairing(tuple(pairs), tuple(byes))


def rounds_of(players: int) -> int:
    """Return how many rounds it takes until all have met."""
    return 2 * ceil(players / 2) - 1


def berger(players: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round as indices, X first; `players` itself is a bye.

    Args:
        players: at least two.
        number: the round, from 0.
    """
    last = 2 * ceil(players / 2) - 1
    shift = number * ((last + 1) // 2) % last
    first = (shift, last) if number % 2 == 0 else (last, shift)
    return [first, *(((shift + k) % last, (shift - k) % last) for k in range(1, (last + 1) // 2))]


# A simul: the first player to enter plays all others at once, alternating sides.


def simul(it: Tournament) -> Step:
    """Return the games of players who have none yet, latecomers included."""
    host = players_of(it)[0]
    met = it.met()
    pairs: list[Pair] = []
    for other in it.active if host.is_active else ():
        if other is not host and frozenset((host.id, other.id)) not in met:
            is_x = (len(it.games) + len(pairs)) % 2 == 0
            pairs.append(Pair(host.id, other.id) if is_x else Pair(other.id, host.id))
    if pairs:
        return Pairing(tuple(pairs), begins_round=not it.round)
    if it.open_games:
        return None
    return Over() if host.is_active and it.games else Over(EarlyEnd.WITHDREW)


# A Swiss: rounds against players with similar points; no two meet twice.
#
# `swiss` decides who takes part in the next round; `matching.find_round` pairs them.


def swiss(it: Tournament) -> Step:
    """Return the players of the next round when the one before has ended."""
    if it.open_games:
        return None
    if it.round >= it.settings.rounds:
        return Over()
    if len(it.active) < 2:
        return Over(EarlyEnd.WITHDREW)
    return field_of(it)


def field_of(it: Tournament) -> Field:
    """Return the players to be paired, by points and then in the order of entering."""
    taking_part = [each for each in it.active if each.id not in (it.called or ())]
    stand_in = next((each for each in it.entrants.values() if each.is_stand_in), None)
    if stand_in is not None and len(taking_part) % 2:
        taking_part.append(stand_in)
    taking_part.sort(key=lambda each: (-each.points, each.is_stand_in, each.number))
    index = {each.id: at for at, each in enumerate(taking_part)}
    seats: defaultdict[SessionId, str] = defaultdict(str)
    opponents: defaultdict[SessionId, list[int]] = defaultdict(list)
    for game in it.games:
        if game.result is not Result.VOID:
            seats[game.X] += "X"
            seats[game.O] += "O"
            if game.X in index and game.O in index:
                opponents[game.X].append(index[game.O])
                opponents[game.O].append(index[game.X])
    candidates = (
        Candidate(
            *(each.id, each.points, "" if each.is_stand_in else seats[each.id]),
            *(tuple(opponents[each.id]), len(each.byes)),
            is_late=it.round > 0 and not seats[each.id] and not each.byes,
            is_stand_in=each.is_stand_in,
        )
        for each in taking_part
    )
    return Field(tuple(candidates))


_IN_ROUNDS: dict[Form, Callable[[Tournament], Step]] = {
    Form.SWISS: swiss,
    Form.ROUND_ROBIN: round_robin,
    Form.KNOCKOUT: knockout,
    Form.MATCH: match,
    Form.SIMUL: simul,
}


def step_of(it: Tournament, present: AbstractSet[SessionId], now: int) -> Step:
    """Return the next step of a running tournament by the rules of its form.

    Args:
        it: the tournament.
        present: the players who are connected; only an arena asks.
        now: Unix ms.
    """
    if it.settings.form is Form.ARENA:
        return arena(it, present, now)
    return _IN_ROUNDS[it.settings.form](it)
