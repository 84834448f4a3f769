"""Ratings within a tournament. Pure."""

from collections.abc import Mapping

from ttt_engine.arena.ratings import Rating, Record, ratings
from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.values import NOT_PLAYED_OUT, Game, Tournament

MOST_RATED = 50
"""The most players to rate: the work grows with the cube, to a third of a second here."""

Pair = tuple[SessionId, SessionId]


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
