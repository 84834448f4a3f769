"""Apply the events of a log to a tournament. Pure."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from ttt_protocol.state import Mark, SessionId
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.core.errors import InvalidLog
from ttt_server.tournaments.rules import events
from ttt_server.tournaments.rules.values import CORRECTED, DRAW, WIN, Entrant, Game, Tournament

STREAK = 2
"""After this many wins in a row, the next games in an arena count double.

Source: lichess, "Arena tournament FAQ", How are scores calculated?
"""
_MAX_ANNOUNCEMENTS = 5


def evolve_all(tournament: Tournament, log: Iterable[events.TournamentEvent]) -> Tournament:
    """Apply events in order.

    Raises:
        InvalidLog: if one cannot follow.
    """
    for event in log:
        tournament = evolve(tournament, event)
    return tournament


def evolve(tournament: Tournament, event: events.TournamentEvent) -> Tournament:
    """Apply one event.

    Raises:
        InvalidLog: if it cannot follow: a gap in the numbers, an unknown player or game.
    """
    if event.seq != tournament.seq + 1:
        raise InvalidLog(f"{tournament.name}: event {event.seq} after {tournament.seq}")
    try:
        after = _after(tournament, event)
    except KeyError as missing:
        raise InvalidLog(f"{tournament.name}: event {event.seq}: unknown {missing}") from None
    return replace(after, seq=event.seq, changed_at=event.at)


def _after(it: Tournament, event: events.TournamentEvent) -> Tournament:
    match event:
        case events.Opened(title=title, settings=settings, organiser=organiser):
            opened = replace(it, title=title, settings=settings, opened_at=event.at)
            return replace(opened, organisers=frozenset({organiser}))
        case events.Invited(organiser=organiser):
            return replace(it, organisers=it.organisers | {organiser})
        case events.Entered():
            return it.with_entrants(_entrant(it, event))
        case events.Renamed(player=player, name=name):
            return it.with_entrants(it[player]._replace(name=name, renamed_at=event.at))
        case events.Withdrew(player=player):
            return it.with_entrants(it[player]._replace(status="withdrawn"))
        case events.Returned(player=player):
            return it.with_entrants(it[player]._replace(status="active", free_since=event.at))
        case events.Removed(player=player, may_return=may_return):
            return it.with_entrants(it[player]._replace(status="removed", may_return=may_return))
        case events.DoorsSet(open=is_open):
            return replace(it, doors_open=is_open)
        case events.Begun(ends_at=ends_at):
            return replace(it, status="running", started_at=event.at, ends_at=ends_at)
        case events.Called(absent=absent):
            return replace(it, called=None if absent is None else frozenset(absent))
        case events.RoundBegun(round=number):
            return replace(it, round=number, called=None)
        case events.Paired():
            return _paired(it, event)
        case events.Byed(player=player, round=number, bonus=bonus):
            before = it[player]
            byes = (*before.byes, number)
            return it.with_entrants(_with_bonus(before._replace(byes=byes), bonus))
        case events.Ended(game=number, result=result, reason=reason):
            return _ended(it, number, result, reason, event.at)
        case events.Corrected(game=number, result=result):
            return _corrected(it, number, result)
        case events.Announced(text=""):
            return replace(it, announcements=())
        case events.Announced(text=text):
            return replace(it, announcements=(*it.announcements, text)[-_MAX_ANNOUNCEMENTS:])
        case events.Paused():
            return replace(it, status="paused", paused_at=event.at)
        case events.Resumed(ends_at=ends_at):
            return replace(it, status="running", ends_at=ends_at)
        case events.Finished(early=early):
            over = replace(it, status="finished", ended_early=early)
            return replace(over, open_games=(), doors_open=False)
        case _:
            assert_never(event)


def _entrant(it: Tournament, event: events.Entered) -> Entrant:
    entrant = Entrant(
        event.player,
        event.name,
        number=len(it.entrants) + 1,
        ai=event.ai,
        is_bot=event.bot,
        is_stand_in=event.stand_in,
        free_since=event.at,
        person=event.person,
    )
    return _with_bonus(entrant, event.bonus)


def _with_bonus(entrant: Entrant, bonus: int) -> Entrant:
    return entrant._replace(bonus=entrant.bonus + bonus, points=entrant.points + bonus)


def _paired(it: Tournament, event: events.Paired) -> Tournament:
    if event.game != len(it.games) + 1:
        raise KeyError(event.game)
    game = Game(
        event.game,
        event.round,
        event.X,
        event.O,
        event.room,
        event.at,
        armageddon=event.armageddon,
        again=event.again,
    )
    x, o = it[game.X], it[game.O]
    paired = it.with_entrants(
        x._replace(as_x=x.as_x + 1, last_seat=Mark.X, last_opponent=o.id),
        o._replace(as_x=o.as_x - 1, last_seat=Mark.O, last_opponent=x.id),
    )
    return replace(paired, games=(*it.games, game), open_games=(*it.open_games, game.number))


def _ended(it: Tournament, number: int, result: Result, reason: str, at: int) -> Tournament:
    game = it.game(number)
    if not game.is_open:
        raise KeyError(number)
    game = game._replace(result=result, reason=reason)
    if result is Result.VOID:  # as if it had never been played
        x, o = it[game.X], it[game.O]
        players = [x._replace(as_x=x.as_x - 1), o._replace(as_x=o.as_x + 1)]
    else:
        players = [_scored(it, it[player], game) for player in (game.X, game.O)]
    return replace(
        it,
        games=_games_with(it, game),
        open_games=_open_without(it, number),
        entrants=it.entrants | {each.id: each._replace(free_since=at) for each in players},
    )


def _corrected(it: Tournament, number: int, result: Result) -> Tournament:
    """Change the result of a game, and recount all games: streaks depend on their order."""
    game = it.game(number)._replace(result=result, reason=CORRECTED, is_corrected=True)
    games = _games_with(it, game)
    return added_up(replace(it, games=games, open_games=_open_without(it, number)))


def added_up(it: Tournament) -> Tournament:
    """Return the tournament with the entrants' points and counts recomputed from its games."""
    entrants: dict[SessionId, Entrant] = {
        player: entrant._replace(points=entrant.bonus, wins=0, draws=0, losses=0, streak=0)
        for player, entrant in it.entrants.items()
    }
    for counted in it.games:
        if counted.counts:
            for player in (counted.X, counted.O):
                entrants[player] = _scored(it, entrants[player], counted)
    return replace(it, entrants=entrants)


def _games_with(it: Tournament, game: Game) -> tuple[Game, ...]:
    return (*it.games[: game.number - 1], game, *it.games[game.number :])


def _open_without(it: Tournament, number: int) -> tuple[int, ...]:
    return tuple([each for each in it.open_games if each != number])


def _scored(it: Tournament, player: Entrant, game: Game) -> Entrant:
    doubled = 2 if it.settings.form is Form.ARENA and player.streak >= STREAK else 1
    if game.winner == player.id:
        points = player.points + WIN * doubled
        return player._replace(points=points, wins=player.wins + 1, streak=player.streak + 1)
    if game.is_drawn:
        points = player.points + DRAW * doubled
        return player._replace(points=points, draws=player.draws + 1, streak=0)
    return player._replace(losses=player.losses + 1, streak=0)
