"""Decide what follows from a command on a tournament: events, or a refusal. Pure."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import assert_never

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import PersonId, RoomName, SessionId
from ttt_protocol.text import told_apart
from ttt_protocol.tournament import commands
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules import events
from ttt_server.tournaments.rules.values import DRAW, REPLACED, Entrant, Game, Tournament

NameRoom = Callable[[int], RoomName]
"""Returns a new, partly random name for the room of the game with this number."""

RENAME_MS = 5_000
"""The least time between two renames by a player, as in rooms."""

_FIXED_FIELD = (Form.ROUND_ROBIN, Form.KNOCKOUT, Form.MATCH)
"""Forms whose players do not change after the start."""


def create(
    it: Tournament, command: commands.Create, organiser: SessionId, now: int
) -> events.Decision:
    """Create the tournament, with its stand-in if there is one.

    Raises:
        Refused: `not_allowed` if it exists.
    """
    _require(not it.seq, "an event of this name already exists")
    title, settings = command.title or it.name, command.settings
    opened = events.Opened(title=title, settings=settings, organiser=organiser)
    if (ai := settings.stand_in) is None:
        return events.numbered(0, now, opened)
    stand_in = events.Entered(player=SessionId("ai-1"), name=ai.strategy, ai=ai, stand_in=True)
    return events.numbered(0, now, opened, stand_in)


def enter(
    it: Tournament,
    player: SessionId,
    name: str,
    now: int,
    *,
    is_bot: bool = False,
    person: PersonId | None = None,
) -> events.Decision:
    """Let a player in under a unique name; nothing if the player is already in.

    A removed player comes back if that is allowed. A withdrawn player only watches: every player
    enters again after a lost connection or on another page, which is no wish to return.

    Raises:
        Refused: `not_allowed`, `room_full`.
    """
    known = it.entrants.get(player)
    if known is not None:
        return _come_back(it, known, now) if known.status == "removed" else ()
    _require_entry(it)
    bonus, free = _late_bonus(it), free_name(it, name)
    entered = events.Entered(player=player, name=free, bot=is_bot, bonus=bonus, person=person)
    return events.numbered(it.seq, now, entered)


def command_of_player(
    it: Tournament, player: SessionId, command: commands.PlayerCommand, now: int
) -> events.Decision:
    """Decide on a player's command.

    Raises:
        Refused: `not_a_player`, `not_allowed`; `too_early` for a second rename too soon.
    """
    entrant = it.entrants.get(player)
    if entrant is None or entrant.status == "removed":
        raise Refused(RefusalCode.NOT_A_PLAYER)
    match command:
        case commands.Withdraw():
            return _withdraw(it, entrant, now)
        case commands.Return():
            return _come_back(it, entrant, now)
        case commands.RenamePlayer(name=name, player=other):
            _require(other in (None, player), "only the organiser can rename others")
            _require(entrant.person is None, "a name that is kept on this server stays as it is")
            left_s = (entrant.renamed_at + RENAME_MS - now) / 1000
            words = f"wait {left_s:.1f} seconds more"
            _require(left_s <= 0 or name == entrant.name, words, RefusalCode.TOO_EARLY)
            return rename(it, entrant, name, now)
        case _:
            assert_never(command)


def command_of_organiser(
    it: Tournament,
    command: commands.OrganiserCommand | commands.RenamePlayer,
    now: int,
    name_room: NameRoom,
    new_id: Callable[[], SessionId],
    present: AbstractSet[SessionId] = frozenset(),
) -> events.Decision:
    """Decide on an organiser's command; `present` are the players who are connected.

    Raises:
        Refused: `not_allowed` at the wrong time or for an unknown player; `wrong_game` and
            `game_over` for a game; `room_full` for an added AI.
    """
    made: events.TournamentEvent
    match command:
        case commands.Start():
            return start(it, now, absent=_absent(it, present))
        case commands.Next():
            return call_round(it, _absent(it, present), now)
        case commands.Pause():
            require_status(it, "running")
            made = events.Paused()
        case commands.Resume():
            require_status(it, "paused")
            later = None if it.ends_at is None else it.ends_at + now - it.paused_at
            made = events.Resumed(ends_at=later)
        case commands.Finish():
            require_status(it, "created", "running", "paused")
            made = events.Finished(early=EarlyEnd.ORGANISER)
        case commands.Remove(player=player, may_return=may_return):
            removed = events.Removed(player=player, may_return=may_return)
            return _without(it, _entrant(it, player), removed, now)
        case commands.Excuse(player=player):
            return _withdraw(it, _entrant(it, player), now)
        case commands.Doors(open=is_open):
            require_status(it, "created", "running", "paused")
            if is_open == it.doors_open:
                return ()
            may_open = it.settings.form not in _FIXED_FIELD or it.status == "created"
            _require(not is_open or may_open, "this form takes no players after the start")
            made = events.DoorsSet(open=is_open)
        case commands.Announce(text=text):
            made = events.Announced(text=text or "")
        case commands.RenamePlayer(name=name, player=player):
            return rename(it, _entrant(it, player), name, now)
        case commands.Invite():
            made = events.Invited(organiser=new_id())
        case commands.AddAi(ai=ai):
            _require_entry(it)
            name = ai.strategy if ai.level is None else f"{ai.strategy} {ai.level}"
            free, ai_id = free_name(it, name), SessionId(f"ai-{len(it.entrants) + 1}")
            made = events.Entered(player=ai_id, name=free, ai=ai, bonus=_late_bonus(it))
        case commands.SetResult() | commands.Forfeit() | commands.Recreate() | commands.Pair():
            return _change_game(it, command, now, name_room)
        case _:
            assert_never(command)
    return events.numbered(it.seq, now, made)


def rename(it: Tournament, entrant: Entrant, name: str, now: int) -> events.Decision:
    """Give a player another, unique name."""
    if name == entrant.name:
        return ()
    free = free_name(it, name, entrant.id)
    return events.numbered(it.seq, now, events.Renamed(player=entrant.id, name=free))


def free_name(it: Tournament, name: str, but: SessionId | None = None) -> str:
    """Return the name, with a number if it looks like another player's."""
    return told_apart(name, (each.name for each in it.entrants.values() if each.id != but))


def start(
    it: Tournament, now: int, *, least: int = 2, absent: AbstractSet[SessionId] = frozenset()
) -> events.Decision:
    """Begin with at least this many players, and with two in a match; the absent do not count.

    Raises:
        Refused: `not_allowed`.
    """
    require_status(it, "created")
    settings = it.settings
    players = len(it.active)
    _require(players - len(absent) >= least, "there are fewer than two players")
    _require(settings.form is not Form.MATCH or players <= 2, "a match has two players")
    ends_at = now + settings.minutes * 60_000 if settings.form is Form.ARENA else None
    made: list[events.TournamentEvent] = [events.Begun(ends_at=ends_at)]
    if settings.form in _FIXED_FIELD and it.doors_open:
        made.append(events.DoorsSet(open=False))
    if settings.manual:
        made.append(events.Called(absent=tuple(sorted(absent))))
    return events.numbered(it.seq, now, *made)


def call_round(it: Tournament, absent: AbstractSet[SessionId], now: int) -> events.Decision:
    """Begin the next round without these players; nothing if it is to begin already.

    Raises:
        Refused: `not_allowed`.
    """
    require_status(it, "running")
    _require(it.settings.manual, "the rounds of this event begin by themselves")
    _require(not it.open_games, "games are under way")
    if it.called is not None:
        return ()
    _require(len(it.active) - len(absent) >= 2, "fewer than two players are here")
    return events.numbered(it.seq, now, events.Called(absent=tuple(sorted(absent))))


def _absent(it: Tournament, present: AbstractSet[SessionId]) -> frozenset[SessionId]:
    """Return the players whom a round that the organiser begins leaves out."""
    if not it.settings.manual or it.settings.form is not Form.SWISS:
        return frozenset()
    return frozenset(each.id for each in it.active if each.ai is None and each.id not in present)


def _come_back(it: Tournament, entrant: Entrant, now: int) -> events.Decision:
    _require(entrant.status != "removed" or entrant.may_return, "the organiser removed you")
    if entrant.is_active or it.status == "finished":
        return ()
    return events.numbered(it.seq, now, events.Returned(player=entrant.id))


def _withdraw(it: Tournament, entrant: Entrant, now: int) -> events.Decision:
    _require(it.status != "finished", "the event is over")
    if not entrant.is_active:
        return ()
    return _without(it, entrant, events.Withdrew(player=entrant.id), now)


def _without(
    it: Tournament, entrant: Entrant, event: events.Withdrew | events.Removed, now: int
) -> events.Decision:
    """Return the event, and the player's losses in open games."""
    seats = ((number, it.game(number).seat(entrant.id)) for number in it.open_games)
    lost = (
        events.Ended(game=number, result=Result(seat.other.value), reason=event.type)
        for number, seat in seats
        if seat is not None
    )
    return events.numbered(it.seq, now, event, *lost)


def _change_game(
    it: Tournament,
    command: commands.SetResult | commands.Forfeit | commands.Recreate | commands.Pair,
    now: int,
    name_room: NameRoom,
) -> events.Decision:
    _require(1 <= command.game <= len(it.games), "no such game", RefusalCode.WRONG_GAME)
    game = it.game(command.game)
    if isinstance(command, commands.SetResult):
        _require(game.reason != REPLACED, "another game replaced this one")
        is_late = it.settings.form is Form.KNOCKOUT and game.round != it.round
        _require(not is_late, "the next round has begun")
        corrected = events.Corrected(game=game.number, result=command.result)
        return events.numbered(it.seq, now, corrected)
    _require(it.status != "finished", "the event is over")
    if not game.is_open:
        raise Refused(RefusalCode.GAME_OVER)
    match command:
        case commands.Forfeit(seat=seat):
            result = Result(seat.other.value)
            lost = events.Ended(game=game.number, result=result, reason="forfeit")
            return events.numbered(it.seq, now, lost)
        case commands.Recreate():
            return _replaced(it, game, game.X, game.O, now, name_room)
        case commands.Pair(X=x, O=o):
            require_pairable(it, x, o, game)
            return _replaced(it, game, x, o, now, name_room)
        case _:
            assert_never(command)


def _replaced(
    it: Tournament, game: Game, x: SessionId, o: SessionId, now: int, name_room: NameRoom
) -> events.Decision:
    number = len(it.games) + 1
    void = events.Ended(game=game.number, result=Result.VOID, reason=REPLACED)
    paired = events.Paired(
        game=number, round=game.round, X=x, O=o, room=name_room(number), armageddon=game.armageddon
    )
    return events.numbered(it.seq, now, void, paired)


def require_pairable(
    it: Tournament, x: SessionId, o: SessionId, instead_of: Game | None = None
) -> None:
    """Check that two players may play each other now, perhaps instead of an open game.

    Raises:
        Refused: `not_allowed`.
    """
    _require(x != o, "a player cannot play alone")
    for player in (x, o):
        _require(_entrant(it, player).is_active, "the player has withdrawn")
        _require(it.game_of(player) in (None, instead_of), "the player already has a game")
    may_repeat = it.settings.form is not Form.SWISS
    are_same = instead_of is not None and {x, o} == {instead_of.X, instead_of.O}
    _require(may_repeat or are_same or {x, o} not in it.met(), "the two have already met")


def _require_entry(it: Tournament) -> None:
    _require(it.status != "finished", "the event is over")
    _require(it.doors_open, "entry is closed")
    entrants = it.entrants.values()
    present = sum(each.status != "removed" and not each.is_stand_in for each in entrants)
    _require(present < it.settings.max_players, "the event is full", RefusalCode.ROOM_FULL)


def require_status(it: Tournament, *allowed: str) -> None:
    """Check the tournament's status.

    Raises:
        Refused: `not_allowed`.
    """
    _require(it.status in allowed, f"the event is {it.status}")


def _require(holds: bool, words: str, code: RefusalCode = RefusalCode.NOT_ALLOWED) -> None:
    if not holds:
        raise Refused(code, words)


def _late_bonus(it: Tournament) -> int:
    pays = it.settings.form is Form.SWISS and it.settings.late_half_points
    return DRAW * it.round if pays else 0


def _entrant(it: Tournament, player: SessionId | None) -> Entrant:
    entrant = None if player is None else it.entrants.get(player)
    if entrant is None:
        raise Refused(RefusalCode.NOT_ALLOWED, "no such player")
    return entrant
