"""Decide what follows from a command on a tournament: events, or a refusal. Pure."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import assert_never

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import Mark, PersonId, RoomName, SessionId
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
    tournament: Tournament, command: commands.Create, organiser: SessionId, now: int
) -> events.Decision:
    """Create the tournament, with its stand-in if there is one.

    Raises:
        Refused: `not_allowed` if it exists.
    """
    if tournament.seq:
        raise Refused(RefusalCode.NOT_ALLOWED, "an event of this name already exists")
    title, settings = command.title or tournament.name, command.settings
    opened = events.Opened(title=title, settings=settings, organiser=organiser)
    if (ai := settings.stand_in) is None:
        return events.numbered(0, now, opened)
    stand_in = events.Entered(player=_ai_id(1), name=ai.strategy, ai=ai, stand_in=True)
    return events.numbered(0, now, opened, stand_in)


def enter(
    tournament: Tournament,
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
    known = tournament.entrants.get(player)
    if known is not None:
        return _come_back(tournament, known, now) if known.status == "removed" else ()
    _require_entry(tournament)
    bonus = _late_bonus(tournament)
    free = free_name(tournament, name)
    entered = events.Entered(player=player, name=free, bot=is_bot, bonus=bonus, person=person)
    return events.numbered(tournament.seq, now, entered)


def command_of_player(
    tournament: Tournament, player: SessionId, command: commands.PlayerCommand, now: int
) -> events.Decision:
    """Decide on a player's command.

    Raises:
        Refused: `not_a_player`, `not_allowed`; `too_early` for a second rename too soon.
    """
    entrant = tournament.entrants.get(player)
    if entrant is None or entrant.status == "removed":
        raise Refused(RefusalCode.NOT_A_PLAYER)
    match command:
        case commands.Withdraw():
            return _withdraw(tournament, entrant, now)
        case commands.Return():
            return _come_back(tournament, entrant, now)
        case commands.RenamePlayer(name=name, player=other):
            if other not in (None, player):
                raise Refused(RefusalCode.NOT_ALLOWED, "only the organiser can rename others")
            if entrant.person is not None:
                words = "a name that is kept on this server stays as it is"
                raise Refused(RefusalCode.NOT_ALLOWED, words)
            left_s = (entrant.renamed_at + RENAME_MS - now) / 1000
            if left_s > 0 and name != entrant.name:
                raise Refused(RefusalCode.TOO_EARLY, f"wait {left_s:.1f} seconds more")
            return rename(tournament, entrant, name, now)
        case _:
            assert_never(command)


def command_of_organiser(
    tournament: Tournament,
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
            return start(tournament, now, absent=_absent(tournament, present))
        case commands.Next():
            return call_round(tournament, _absent(tournament, present), now)
        case commands.Pause():
            require_status(tournament, "running")
            made = events.Paused()
        case commands.Resume():
            require_status(tournament, "paused")
            ends_at = tournament.ends_at
            later = None if ends_at is None else ends_at + now - tournament.paused_at
            made = events.Resumed(ends_at=later)
        case commands.Finish():
            require_status(tournament, "created", "running", "paused")
            made = events.Finished(early=EarlyEnd.ORGANISER)
        case commands.Remove(player=player, may_return=may_return):
            removed = events.Removed(player=player, may_return=may_return)
            return _without(tournament, _entrant(tournament, player), removed, now)
        case commands.Excuse(player=player):
            return _withdraw(tournament, _entrant(tournament, player), now)
        case commands.Doors(open=is_open):
            require_status(tournament, "created", "running", "paused")
            if is_open == tournament.doors_open:
                return ()
            is_fixed = tournament.settings.form in _FIXED_FIELD
            if is_open and is_fixed and tournament.status != "created":
                raise Refused(RefusalCode.NOT_ALLOWED, "this form takes no players after the start")
            made = events.DoorsSet(open=is_open)
        case commands.Announce(text=text):
            made = events.Announced(text=text or "")
        case commands.RenamePlayer(name=name, player=player):
            return rename(tournament, _entrant(tournament, player), name, now)
        case commands.Invite():
            made = events.Invited(organiser=new_id())
        case commands.AddAi(ai=ai):
            _require_entry(tournament)
            name = ai.strategy if ai.level is None else f"{ai.strategy} {ai.level}"
            free = free_name(tournament, name)
            ai_id = _ai_id(len(tournament.entrants) + 1)
            bonus = _late_bonus(tournament)
            made = events.Entered(player=ai_id, name=free, ai=ai, bonus=bonus)
        case commands.SetResult() | commands.Forfeit() | commands.Recreate() | commands.Pair():
            return _change_game(tournament, command, now, name_room)
        case _:
            assert_never(command)
    return events.numbered(tournament.seq, now, made)


def rename(tournament: Tournament, entrant: Entrant, name: str, now: int) -> events.Decision:
    """Give a player another, unique name."""
    if name == entrant.name:
        return ()
    free = free_name(tournament, name, entrant.id)
    return events.numbered(tournament.seq, now, events.Renamed(player=entrant.id, name=free))


def free_name(tournament: Tournament, name: str, but: SessionId | None = None) -> str:
    """Return the name, with a number if it looks like another player's."""
    others = (it.name for it in tournament.entrants.values() if it.id != but)
    return told_apart(name, others)


def start(
    tournament: Tournament,
    now: int,
    *,
    least: int = 2,
    absent: AbstractSet[SessionId] = frozenset(),
) -> events.Decision:
    """Begin with at least this many players, and with two in a match; the absent do not count.

    Raises:
        Refused: `not_allowed`.
    """
    require_status(tournament, "created")
    settings = tournament.settings
    players = len(tournament.active)
    if players - len(absent) < least:
        raise Refused(RefusalCode.NOT_ALLOWED, "there are fewer than two players")
    if settings.form is Form.MATCH and players > 2:
        raise Refused(RefusalCode.NOT_ALLOWED, "a match has two players")
    ends_at = now + settings.minutes * 60_000 if settings.form is Form.ARENA else None
    made: list[events.TournamentEvent] = [events.Begun(ends_at=ends_at)]
    if settings.form in _FIXED_FIELD and tournament.doors_open:
        made.append(events.DoorsSet(open=False))
    if settings.manual:
        made.append(events.Called(absent=tuple(sorted(absent))))
    return events.numbered(tournament.seq, now, *made)


def call_round(tournament: Tournament, absent: AbstractSet[SessionId], now: int) -> events.Decision:
    """Begin the next round without these players; nothing if it is to begin already.

    Raises:
        Refused: `not_allowed`.
    """
    require_status(tournament, "running")
    if not tournament.settings.manual:
        raise Refused(RefusalCode.NOT_ALLOWED, "the rounds of this event begin by themselves")
    if tournament.open_games:
        raise Refused(RefusalCode.NOT_ALLOWED, "games are under way")
    if tournament.called is not None:
        return ()
    if len(tournament.active) - len(absent) < 2:
        raise Refused(RefusalCode.NOT_ALLOWED, "fewer than two players are here")
    return events.numbered(tournament.seq, now, events.Called(absent=tuple(sorted(absent))))


def _absent(tournament: Tournament, present: AbstractSet[SessionId]) -> frozenset[SessionId]:
    """Return the players whom a round that the organiser begins leaves out."""
    settings = tournament.settings
    if not settings.manual or settings.form is not Form.SWISS:
        return frozenset()
    away = (it.id for it in tournament.active if it.ai is None and it.id not in present)
    return frozenset(away)


def _come_back(tournament: Tournament, entrant: Entrant, now: int) -> events.Decision:
    if entrant.status == "removed" and not entrant.may_return:
        raise Refused(RefusalCode.NOT_ALLOWED, "the organiser removed you")
    if entrant.is_active or tournament.status == "finished":
        return ()
    return events.numbered(tournament.seq, now, events.Returned(player=entrant.id))


def _withdraw(tournament: Tournament, entrant: Entrant, now: int) -> events.Decision:
    _require_not_over(tournament)
    if not entrant.is_active:
        return ()
    return _without(tournament, entrant, events.Withdrew(player=entrant.id), now)


def _without(
    tournament: Tournament, entrant: Entrant, event: events.Withdrew | events.Removed, now: int
) -> events.Decision:
    """Return the event, and the player's losses in open games."""
    made: list[events.TournamentEvent] = [event]
    for number in tournament.open_games:
        seat = tournament.game(number).seat(entrant.id)
        if seat is not None:
            won = _won_by(seat.other)
            made.append(events.Ended(game=number, result=won, reason=event.type))
    return events.numbered(tournament.seq, now, *made)


def _change_game(
    tournament: Tournament,
    command: commands.SetResult | commands.Forfeit | commands.Recreate | commands.Pair,
    now: int,
    name_room: NameRoom,
) -> events.Decision:
    game = _game(tournament, command.game)
    if isinstance(command, commands.SetResult):
        if game.is_replaced:
            raise Refused(RefusalCode.NOT_ALLOWED, "another game replaced this one")
        if tournament.settings.form is Form.KNOCKOUT and game.round != tournament.round:
            raise Refused(RefusalCode.NOT_ALLOWED, "the next round has begun")
        corrected = events.Corrected(game=game.number, result=command.result)
        return events.numbered(tournament.seq, now, corrected)
    _require_not_over(tournament)
    if not game.is_open:
        raise Refused(RefusalCode.GAME_OVER)
    match command:
        case commands.Forfeit(seat=seat):
            result = _won_by(seat.other)
            lost = events.Ended(game=game.number, result=result, reason="forfeit")
            return events.numbered(tournament.seq, now, lost)
        case commands.Recreate():
            return _replaced(tournament, game, game.X, game.O, now, name_room)
        case commands.Pair(X=x, O=o):
            require_pairable(tournament, x, o, game)
            return _replaced(tournament, game, x, o, now, name_room)
        case _:
            assert_never(command)


def _replaced(
    tournament: Tournament, game: Game, x: SessionId, o: SessionId, now: int, name_room: NameRoom
) -> events.Decision:
    number = len(tournament.games) + 1
    void = events.Ended(game=game.number, result=Result.VOID, reason=REPLACED)
    paired = events.Paired(
        game=number,
        round=game.round,
        X=x,
        O=o,
        room=name_room(number),
        armageddon=game.armageddon,
    )
    return events.numbered(tournament.seq, now, void, paired)


def require_pairable(
    tournament: Tournament, x: SessionId, o: SessionId, instead_of: Game | None = None
) -> None:
    """Check that two players may play each other now, perhaps instead of an open game.

    Raises:
        Refused: `not_allowed`.
    """
    if x == o:
        raise Refused(RefusalCode.NOT_ALLOWED, "a player cannot play alone")
    for player in (x, o):
        entrant = _entrant(tournament, player)
        if not entrant.is_active:
            raise Refused(RefusalCode.NOT_ALLOWED, "the player has withdrawn")
        other = tournament.game_of(player)
        if other not in (None, instead_of):
            raise Refused(RefusalCode.NOT_ALLOWED, "the player already has a game")
    swiss = tournament.settings.form is Form.SWISS
    are_same = instead_of is not None and {x, o} == {instead_of.X, instead_of.O}
    if swiss and not are_same and tournament.have_met(x, o):
        raise Refused(RefusalCode.NOT_ALLOWED, "the two have already met")


def _require_entry(tournament: Tournament) -> None:
    _require_not_over(tournament)
    if not tournament.doors_open:
        raise Refused(RefusalCode.NOT_ALLOWED, "entry is closed")
    entrants = tournament.entrants.values()
    present = sum(it.status != "removed" and not it.is_stand_in for it in entrants)
    if present >= tournament.settings.max_players:
        raise Refused(RefusalCode.ROOM_FULL, "the event is full")


def _require_not_over(tournament: Tournament) -> None:
    if tournament.status == "finished":
        raise Refused(RefusalCode.NOT_ALLOWED, "the event is over")


def require_status(tournament: Tournament, *allowed: str) -> None:
    """Check the tournament's status.

    Raises:
        Refused: `not_allowed`.
    """
    if tournament.status not in allowed:
        raise Refused(RefusalCode.NOT_ALLOWED, f"the event is {tournament.status}")


def _late_bonus(tournament: Tournament) -> int:
    settings = tournament.settings
    pays = settings.form is Form.SWISS and settings.late_half_points
    return DRAW * tournament.round if pays else 0


def _entrant(tournament: Tournament, player: SessionId | None) -> Entrant:
    entrant = None if player is None else tournament.entrants.get(player)
    if entrant is None:
        raise Refused(RefusalCode.NOT_ALLOWED, "no such player")
    return entrant


def _game(tournament: Tournament, number: int) -> Game:
    try:
        return tournament.game(number)
    except KeyError:
        raise Refused(RefusalCode.WRONG_GAME, "no such game") from None


def _won_by(seat: Mark) -> Result:
    return Result.X if seat is Mark.X else Result.O


def _ai_id(number: int) -> SessionId:
    return SessionId(f"ai-{number}")
