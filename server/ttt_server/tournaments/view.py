"""A tournament as messages show it, and the ratings within it. Pure."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from types import MappingProxyType

from ttt_engine.arena.ratings import Rating, Record, ratings
from ttt_protocol.state import SessionId
from ttt_protocol.tournament import messages
from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.rules.advance import awaits_next
from ttt_server.tournaments.rules.forms import Tie, bracket, players_of, rounds_of
from ttt_server.tournaments.rules.standings import Row, standings
from ttt_server.tournaments.rules.values import NOT_PLAYED_OUT, Entrant, Game, Tournament

SHOWN = 50
"""The most rows and games in a message on the socket."""

MOST_RATED = 50
"""The most players to rate: the work grows with the cube, to a third of a second here."""

Pair = tuple[SessionId, SessionId]


def tournament_state(
    it: Tournament,
    present: AbstractSet[SessionId],
    now: int,
    most: int | None = SHOWN,
    ratings: Mapping[SessionId, Rating] = MappingProxyType({}),
) -> messages.TournamentState:
    """Return the state of a tournament.

    Args:
        it: the tournament.
        present: the players who are connected.
        now: Unix ms.
        most: rows and games to show; `None` for all of them.
        ratings: of players within the tournament, as far as known.
    """
    rows = standings(it, most)
    shown = it.games if most is None else islice(_latest(it), most)
    return messages.TournamentState(
        name=it.name,
        title=it.title,
        seq=it.seq,
        form=it.settings.form,
        settings=it.settings,
        status=it.status,
        doors_open=it.doors_open,
        round=it.round,
        rounds=_rounds(it),
        started_at=it.started_at or None,
        ends_at=it.ends_at,
        now=now,
        players=len(it.listed),
        standings=tuple(_standing(row, present, ratings.get(row.entrant.id)) for row in rows),
        games=tuple(_game(it, game) for game in shown),
        waiting_for=_waiting_for(it, present),
        bracket=_bracket(it),
        announcements=it.announcements,
        awaits="next" if awaits_next(it) else None,
        ended_early=it.ended_early,
    )


def removed_players(it: Tournament) -> messages.RemovedPlayers:
    """Return the removed people and bots. An AI would come back as a new player."""
    players = (
        messages.RemovedPlayer(id=each.id, name=each.name, may_return=each.may_return)
        for each in it.entrants.values()
        if each.status == "removed" and each.ai is None
    )
    return messages.RemovedPlayers(players=tuple(players))


def _latest(it: Tournament) -> Iterator[Game]:
    """Yield the games under way, then the ended ones, latest first."""
    yield from map(it.game, it.open_games)
    yield from (game for game in reversed(it.games) if game.counts)


def _rounds(it: Tournament) -> int | None:
    match it.settings.form:
        case Form.SWISS:
            return it.settings.rounds
        case Form.ROUND_ROBIN:
            players = len(players_of(it))
            return rounds_of(players) * it.settings.games if players else None
        case Form.MATCH:
            return it.settings.games
        case Form.KNOCKOUT:
            players = len(players_of(it))
            return max(1, (players - 1).bit_length()) if players else None
        case Form.ARENA | Form.SIMUL:
            return None


def _standing(
    row: Row, present: AbstractSet[SessionId], rating: Rating | None
) -> messages.Standing:
    it = row.entrant
    return messages.Standing(
        rank=row.rank,
        id=it.id,
        name=it.name,
        kind="ai" if it.ai is not None else "bot" if it.is_bot else "human",
        status="active" if it.is_active else "withdrawn",
        points=it.points / 2,
        wins=it.wins,
        draws=it.draws,
        losses=it.losses,
        byes=len(it.byes),
        buchholz=row.buchholz / 2,
        sonneborn_berger=row.sonneborn_berger / 4,
        streak=it.streak,
        left_out=row.is_left_out,
        present=_is_present(it, present),
        elo=None if rating is None else round(rating.elo, 1),
        elo_error=None if rating is None else round(rating.error, 1),
    )


def _is_present(it: Entrant, present: AbstractSet[SessionId]) -> bool:
    return it.ai is not None or it.id in present


def _game(it: Tournament, game: Game) -> messages.TournamentGame:
    return messages.TournamentGame(
        number=game.number,
        round=game.round,
        room=game.room,
        X=it[game.X].name,
        O=it[game.O].name,
        ids=(game.X, game.O),
        result=game.result,
        reason=game.reason,
        corrected=game.is_corrected,
        armageddon=game.armageddon,
        again=game.again,
    )


def _waiting_for(it: Tournament, present: AbstractSet[SessionId]) -> tuple[str, ...]:
    if it.settings.form in (Form.ARENA, Form.SIMUL):
        return ()
    games = (it.game(number) for number in it.open_games)
    players = (it[player] for game in games for player in (game.X, game.O))
    return tuple(player.name for player in players if not _is_present(player, present))


def _bracket(it: Tournament) -> tuple[tuple[messages.BracketTie, ...], ...] | None:
    if it.settings.form is not Form.KNOCKOUT:
        return None

    def name(player: SessionId | None) -> str | None:
        return None if player is None else it[player].name

    def shown(tie: Tie) -> messages.BracketTie:
        return messages.BracketTie(
            first=name(tie.first), second=name(tie.second), winner=name(tie.winner)
        )

    return tuple(tuple(map(shown, ties)) for ties in bracket(it))


# Ratings within a tournament


def rated(it: Tournament) -> dict[SessionId, Rating]:
    """Return the ratings of the players by all games that were played out.

    Only players who are connected by games can be compared: those outside the largest such group
    get no rating. With more than `MOST_RATED` players, nobody does.
    """
    records: dict[Pair, Record] = {}
    for game in it.games:
        if game.counts and game.reason not in NOT_PLAYED_OUT:
            _count(records, game)
    players = _largest_group(records)
    if not 1 < len(players) <= MOST_RATED:
        return {}
    place = {player: at for at, player in enumerate(players)}
    placed = {
        (place[one], place[other]): record
        for (one, other), record in records.items()
        if one in place
    }
    return dict(zip(players, ratings(len(players), placed), strict=True))


def _count(records: dict[Pair, Record], game: Game) -> None:
    one, other = sorted((game.X, game.O))
    record = records.get((one, other), Record(0, 0, 0))
    won, drawn, lost = game.winner == one, game.is_drawn, game.winner == other
    records[one, other] = Record(record.wins + won, record.draws + drawn, record.losses + lost)


def _largest_group(records: Mapping[Pair, Record]) -> list[SessionId]:
    groups: dict[SessionId, list[SessionId]] = {}
    for one, other in records:
        joined = groups.setdefault(one, [one])
        added = groups.setdefault(other, [other])
        if joined is not added:
            joined += added
            groups |= dict.fromkeys(added, joined)
    return max(groups.values(), key=len, default=[])
