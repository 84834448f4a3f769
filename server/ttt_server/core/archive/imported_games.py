"""Turn exported games into the log of a room. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ttt_engine import IllegalMove
from ttt_protocol.events import Ended, Event, Left, Played, Seated
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import Human, Mark, Player, Settings
from ttt_protocol.text import is_blank, is_clean
from ttt_server.core.archive.contradiction import contradiction
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import Decision
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.room import Room, Seats
from ttt_server.core.seating import created

MAX_NAME = 64
"""Characters of a player's name: those of strategies are longer than people's."""


class CannotImport(Exception):
    """Why games cannot be imported into a room, in words for people."""


def missing_games(
    kept: Sequence[ExportedGame], games: Sequence[ExportedGame]
) -> Sequence[ExportedGame]:
    """Return the games that the room does not have yet; none after an import.

    Args:
        kept: the games that the room has.
        games: games of an export, for the same room.

    Raises:
        CannotImport: if the room has games of its own.
    """
    found, there = {game.game: game for game in games}, {game.game: game for game in kept}
    if all(_are_same(game, there.get(game.game)) for game in games):
        return ()
    if all(_are_same(game, found.get(game.game)) for game in kept):
        return [game for game in games if game.game not in there]
    raise CannotImport("has games of its own and was left as it is")


def _are_same(game: ExportedGame, other: ExportedGame | None) -> bool:
    if other is None or (game.rules, game.events) != (other.rules, other.events):
        return False
    return _guests(game) == _guests(other)


def _guests(game: ExportedGame) -> tuple[Player | None, ...]:
    """Return the players as guests: a file cannot say who kept a name on this server."""
    players = (game.seats[mark] for mark in Mark)
    return tuple(
        replace(player, person=None) if isinstance(player, Human) else player for player in players
    )


def imported(room: Room, games: Sequence[ExportedGame]) -> list[Decision]:
    """Return the decisions that add finished games to a room without people, one a game.

    Each person leaves the seat at the end, so that the room is open to others. A room that had a
    password, which is in no export, comes back closed to spectators and off the public list.

    Args:
        room: the room; without events if there is none.
        games: at least one, of this room, in order, with numbers above those of the room's own.

    Raises:
        CannotImport: if no room can have had these games.
    """
    if any(isinstance(room.seats[mark], Human) for mark in Mark):
        raise CannotImport("has people in it and was left as it is")
    steps = []
    for number, game in enumerate(games, 1):
        try:
            step = _import(Decision(room), game)
        except (IllegalMove, InvalidLog, CannotImport) as error:
            raise CannotImport(f"game {game.game}: {error}") from None
        if number == len(games):
            step = _clear_seats(step)
        steps.append(step)
        room = step.after
    return steps


def _import(step: Decision, game: ExportedGame) -> Decision:
    settings = _settings(game)
    if step.after.seq == 0:
        step = step.then(created(game.began_at, settings, host=NO_HOST))
    room = step.after
    if room.settings != settings:
        raise CannotImport("its settings are not those of the room")
    before = room.game
    if before is not None and (before.outcome is None or before.number >= game.game):
        raise CannotImport(f"it cannot follow game {before.number}")
    if not game.is_over:
        raise CannotImport("it is not over")
    step = _seat(step, game)
    for event in game.events:
        if (words := contradiction(step.after, event)) is not None:
            raise CannotImport(f"event {event.seq} {words}")
        if not all(map(is_clean, _words(event))):
            raise CannotImport(f"event {event.seq} has words that cannot be shown")
        step = step.then(replace(event, seq=step.after.seq + 1))
    return step


def _clear_seats(step: Decision) -> Decision:
    for mark in Mark:
        if isinstance(step.after.seats[mark], Human):
            step = step.then(Left(step.after.seq + 1, step.after.changed_at, mark))
    return step


def _settings(game: ExportedGame) -> Settings:
    if not game.locked:
        return game.settings
    return game.settings.model_copy(update={"public": False, "spectators": False})


def _seat(step: Decision, game: ExportedGame) -> Decision:
    """Seat the players, unless they already sit there after the game before."""
    players = {mark: _player(game, mark) for mark in Mark}
    room, wanted = step.after, Seats(**players)
    if room.seats == (wanted.swapped if room.changes_seats else wanted):
        return step
    for mark in Mark:
        if room.seats[mark] is not None:
            step = step.then(Left(step.after.seq + 1, game.began_at, mark))
    for mark, player in players.items():
        step = step.then(Seated(step.after.seq + 1, game.began_at, mark, player))
    return step


def _player(game: ExportedGame, mark: Mark) -> Player:
    player = _guests(game)[mark is Mark.O]
    if player is None:
        raise CannotImport(f"there is no player in seat {mark}")
    if not is_clean(player.name) or is_blank(player.name) or len(player.name) > MAX_NAME:
        raise CannotImport(f"the player in seat {mark} has no good name")
    return player


def _words(event: Event) -> Iterator[str]:
    """Yield the texts of an event that decoding does not check."""
    match event:
        case Played(reason=reason, log=log):
            yield reason or ""
            yield from (log and log.values) or ()
        case Ended(detail=detail):
            yield detail or ""
        case _:
            pass
