"""Messages in lines for people, each compared with the view before it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import assert_never

from ttt_client.model import words
from ttt_client.model.view import View, is_choice, keeps_name, swapped, who, whose_turn
from ttt_client.text import render
from ttt_protocol import events, messages
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.state import ChatMode, Human, Mark, OfferKind, Role, RoomState, Status
from ttt_protocol.text import clean, counted

OFFERED = {
    OfferKind.DRAW: "offered a draw",
    OfferKind.TAKEBACK: "asked to take a move back",
    OfferKind.REMATCH: "offered a rematch",
}
_DECLINED = {
    OfferKind.DRAW: "declined a draw",
    OfferKind.TAKEBACK: "declined to take a move back",
    OfferKind.REMATCH: "declined a rematch",
}


_CHOSE = {
    Choice.STAY: "chose to stay",
    Choice.SWAP: "chose to swap: the players change seats",
    Choice.MORE: "chose to place two more stones",
}

CHAT = {
    ChatMode.ALL: "all may chat",
    ChatMode.PLAYERS: "only the players may chat",
    ChatMode.OFF: "the chat is off",
}

MOST_PAST = 50
"""The most lines about what happened before a welcome."""


def narrate(
    before: View,
    message: messages.Message,
    after: View,
    past_events: Sequence[events.Event] = (),
    *,
    ascii_only: bool = False,
    drawn: bool = True,
) -> list[str]:
    """Return the lines for `message`; `after` is `before` with the message folded in.

    With `drawn` false they leave out the board, and tell the outcome and the turn.
    `past_events` are those of the game before a welcome.
    """
    show = partial(picture, after, ascii_only=ascii_only, drawn=drawn)
    # The server repeats a state after a repeated move, and skips states for a slow reader. So the
    # picture comes from the states, not from the events.
    is_new = _drawn(before.room) != _drawn(after.room)
    match message:
        case messages.Welcome() if before.partner is None and after.partner is not None:
            return []  # the first player has heard of it
        case messages.Welcome():
            shown = show(elapsed_ms=0)
            missed = _missed(before, message, after, past_events)
            return [*_welcome(message, after), *(one for one in missed if one not in shown), *shown]
        case messages.Update():
            lines = narrate_events(message.events, before, after)
            return lines + show() if is_new else lines
        case messages.Presence():
            return _presence(before, after)
        case messages.Refused(command="join") | messages.RoomsChanged():
            return []  # the session tells what follows: an end, another try, or the list
        case messages.Refused():
            lines = _refused(message, after)
            return lines + show() if is_new else lines
        case messages.Hint():
            return [f"hint: {hint_words(message, after)}"]
        case messages.Said():
            return [_said(message)]
        case messages.Goodbye(reason=reason):
            return [f"the server says goodbye: {clean(reason)}"]
        case messages.Rooms():
            return render.room_list(message)
        case messages.StillReading(seq=seq):
            return [f"the room has a long history: {seq} events are read"]
        case messages.Cleared():
            return ["the host cleared the chat"]
        case messages.Paired(room=name):
            return [f"found an opponent: room {clean(name)}"]
        case messages.AiOffered():
            return [f"no player yet; {ai_words(message)} would play: type accept, or wait"]
        case _:  # pragma: no cover - the union is closed
            assert_never(message)


def news(before: View, message: messages.Message, after: View) -> list[str]:
    """Return the lines for what a drawn room does not show of `message`."""
    match message:
        case messages.Welcome():
            return _muted(message, after)
        case messages.Update(events=happened):
            shown = [event for event in happened if not isinstance(event, events.Played)]
            return narrate_events(shown, before, after)
        case messages.Presence() if before.room is not None and after.room is not None:
            comings = _comings(before.room, after.room)
            return [_is_here(after, mark, here=here) for mark, here in comings]
        case messages.Presence() | messages.Refused() | messages.Hint():
            return []  # the session tells what follows a join; the others stand beside the board
        case _:
            return narrate(before, message, after)


def earlier_talk(before: View, message: messages.Welcome) -> list[str]:
    """Return what was said in the room before this welcome, and not told yet."""
    return [_said(said) for said in message.feed if (said.at or 0) > before.said_at]


def _missed(
    before: View, message: messages.Welcome, after: View, past_events: Sequence[events.Event]
) -> Sequence[str]:
    """Return what happened and was said before a welcome, and was not told yet."""
    known = before.room.seq if before.room is not None else 0
    talk = tuple(said for said in message.feed if (said.at or 0) > before.said_at)
    unheard = message.model_copy(update={"feed": talk})
    happened = [event for event in past_events if event.seq > known]
    lines = [line for _, line in past(happened, unheard, after)]
    if len(lines) > MOST_PAST:
        lines[:-MOST_PAST] = [f"(before that: {counted(len(lines) - MOST_PAST, 'line')})"]
    return lines


def past(
    past_events: Sequence[events.Event], message: messages.Welcome, view: View
) -> list[tuple[bool, str]]:
    """Return what happened and was said before a welcome, in the order of time.

    Args:
        past_events: those of its game, from the record.
        message: the welcome.
        view: the room.

    Returns:
        The lines, each with whether it was said.
    """
    known = [event for event in past_events if event.seq <= message.room.seq]
    swaps = [event.seq for event in known if is_choice(event, Choice.SWAP)]
    earlier = swapped(view)
    happened = [
        (event.at, False, line)
        for event in known
        for line in _past(event, earlier if swaps and event.seq <= swaps[-1] else view)
    ]
    talk = [(said.at or 0, True, _said(said)) for said in message.feed]
    ordered = sorted(happened + talk, key=lambda timed: timed[0])
    return [(is_said, line) for _, is_said, line in ordered]


def _past(event: events.Event, view: View) -> list[str]:
    lines = narrate_event(event, view, view, view)
    if isinstance(event, events.Ended):
        lines.append(render.outcome(view, event.outcome, view.rules))
    return lines


def ai_words(offered: messages.AiOffered) -> str:
    """Return `an AI (search 4)`."""
    level = "" if offered.level is None else f" {offered.level}"
    return f"an AI ({clean(offered.strategy)}{level})"


def _said(message: messages.Said) -> str:
    watching = " (watching)" if message.role is Role.SPECTATOR else ""
    return f"{clean(message.name)}{watching}: {clean(message.text)}"


def picture(
    view: View, *, ascii_only: bool, drawn: bool = True, elapsed_ms: int | None = None
) -> list[str]:
    """Return the board with its clocks, the outcome and score if there is one, and the turn.

    `elapsed_ms` is the time since the state of the room, where the picture is not of an event that
    was just told: then the last move is told in words, and the running clock is as it is now.
    """
    room, game = view.room, view.game
    if room is None:
        return []
    lines: list[str] = []
    if game is not None:
        rules = room.settings.rules
        if drawn:
            lines += ["", *render.board(rules, game, ascii_only=ascii_only), ""]
        told = [None if elapsed_ms is None else render.last_move(rules, game)]
        told += [render.clocks(game, elapsed_ms or 0)]
        if game.outcome is not None:
            told += [render.outcome(view, game.outcome, rules), render.score(room)]
        lines += filter(None, told)
    return [*lines, render.turn(view)]


def watching(view: View) -> str:
    """Return that a spectator is one, and why where both seats are taken."""
    room = view.room
    full = room is not None and all(room.seats[mark] is not None for mark in Mark)
    return "you are watching: both seats are taken" if full else "you are watching"


def refusal(message: messages.Refused, view: View) -> str:
    """Return why a command was not carried out, in the player's words."""
    game, late = view.game, {RefusalCode.NOT_YOUR_TURN, RefusalCode.STALE_PLY}
    to_move = None if view.your_turn else view.to_move
    if message.code in late and game is not None and to_move is not None:
        has_moved = bool(game.moves) and game.board[game.moves[-1]] == view.seat
        turn = f"it is {whose_turn(view, to_move)}"
        return f"you already moved: {turn}" if has_moved else turn
    return words.refusal(message.code, message.reason)


def hint_words(hint: messages.Hint, view: View) -> str:
    """Return `3 wins (sees 7 moves ahead, expects a win)`."""
    cells = render.labels(hint.best, view.rules, " or ", 3)
    worth = _WORTH[hint.values.get(str(hint.best[0]))] if hint.best else "is left"
    why = f" ({words.thought(hint.reason)})" if hint.reason else ""
    return f"{cells or 'nothing'} {worth}{why}"


def _welcome(message: messages.Welcome, view: View) -> list[str]:
    room = message.room
    board = render.game_words(room.settings.rules, room.settings.opening)
    seats = render.seats(view, message.at)
    lines = [f"room {clean(room.name)} on {clean(message.server)}: {board}", *seats]
    if room.settings.rated:
        lines.append("the games here are rated: no hints, no takebacks")
    if view.is_host:
        lines.append("you are the host of this room")
    lines += _muted(message, view)
    if room.chat is not ChatMode.ALL:
        lines.append(CHAT[room.chat])
    if room.spectators:
        lines.append(f"watching: {room.spectators}")
    if view.seat is None:
        lines.append(watching(view))
    else:
        other = who(view, view.seat.other)
        lines += [f"{other} {OFFERED[kind]}: accept or decline" for kind in view.offered]
    return lines


def _muted(message: messages.Welcome, view: View) -> list[str]:
    names = {member.id: member.name for member in (*view.speakers, *view.others)}
    muted = [clean(names.get(each, f"#{each}")) for each in message.muted]
    return [f"muted: {', '.join(muted)}"] if muted else []


def _drawn(room: RoomState | None) -> object:
    """Return what `picture` shows except the clocks, which run by themselves."""
    if room is None:
        return None
    return room.status, room.game and replace(room.game, clock=None)


def _presence(before: View, after: View) -> list[str]:
    old, new = before.room, after.room
    if old is None or new is None:
        return []
    lines = []
    for mark, here in _comings(old, new):
        lines.append(_is_here(after, mark, here=here))
        if not here and after.seat is mark.other:
            lines += _what_then(new, is_of_event=after.is_of_event)
    if old.spectators != new.spectators:
        lines.append(f"watching: {new.spectators}")
    return lines


def _comings(old: RoomState, new: RoomState) -> Iterator[tuple[Mark, bool]]:
    """Yield the seats whose player left or came back, each with its presence now."""
    for mark in Mark:
        was, now = old.seats[mark], new.seats[mark]
        if was is not None and now is not None and was.connected != now.connected:
            yield mark, now.connected


def _is_here(view: View, mark: Mark, *, here: bool) -> str:
    return f"{who(view, mark)} is {'back' if here else 'away'}"


def _what_then(room: RoomState, *, is_of_event: bool) -> list[str]:
    """Return what a player may do if the other does not come back, if anything."""
    if room.settings.days is not None:  # the flag falls by itself
        return []
    claim = ["claim"] if room.status is Status.PLAYING else []
    fill = [] if is_of_event or room.settings.rated else ["fill fair"]
    means = ", or ".join(claim + fill)
    return [f"in {room.settings.grace_s:g} s you may type {means}"] if means else []


def _refused(message: messages.Refused, view: View) -> list[str]:
    lines = [f"refused: {refusal(message, view)}"]
    if message.legal:
        cells = " ".join(render.label(cell, view.rules) for cell in message.legal)
        lines.append(f"you may play {cells}")
    return lines


_WORTH = {1: "wins", 0: "draws", -1: "loses", None: "looks best"}


def narrate_events(happened: Sequence[events.Event], before: View, after: View) -> list[str]:
    """Return the lines for the events between two views, with the names of their time."""
    # After these the players may have other seats; the events before them belong to the old ones.
    changes = [
        number
        for number, event in enumerate(happened)
        if isinstance(event, events.Started) or is_choice(event, Choice.SWAP)
    ]
    lines: list[str] = []
    for number, event in enumerate(happened):
        names = before if changes and number < changes[-1] else after
        lines += narrate_event(event, before, names, after)
    return lines


def narrate_event(event: events.Event, before: View, names: View, after: View) -> list[str]:
    """Return the lines for an event.

    Args:
        event: the event.
        before: the view before it, and before those that came with it.
        names: the view whose players made it.
        after: the view after all of them.
    """
    match event:
        case events.Seated(seat=seat, player=player):
            if after.seat is seat and not after.is_shared:
                return [f"you took seat {seat}"]
            kept = " (kept name)" if keeps_name(player) else ""
            kind = kept if isinstance(player, Human) else ", an AI,"
            return [f"{clean(player.name)}{kind} took seat {seat}"]
        case events.Left(seat=seat):
            return [f"{who(before, seat)} gave the seat up"]
        case events.Started(game=game):
            x, o = who(after, Mark.X), who(after, Mark.O)
            return [f"game {game}: {x} against {o}"]
        case events.Played(seat=seat, cell=cell, reason=reason):
            why = f": {words.thought(reason)}" if reason else ""
            return [f"{who(names, seat)} played {render.label(cell, names.rules)}{why}"]
        case events.Chosen(seat=seat, choice=choice):
            return [f"{who(before, seat)} {_CHOSE[choice]}"]
        case events.Offered(kind=kind, seat=seat):
            # An offer may be answered in the same message: then there is nothing to ask.
            asked = ": accept or decline" if kind in after.offered else ""
            return [f"{who(names, seat)} {OFFERED[kind]}{asked}"]
        case events.Declined(kind=kind, seat=seat):
            return [f"{who(names, seat)} {_DECLINED[kind]}"]
        case events.TakenBack(ply=ply):
            return [f"taken back: the game is at ply {ply} again"]
        case events.Ended(detail=str(detail)):
            return [clean(detail)]
        case events.Ended(unrated=str(why)):
            return [f"this game does not count for ratings: {words.unrated(why)}"]
        case events.Renamed(seat=seat, name=name):
            yours = after.seat is seat and not after.is_shared
            called = "you are" if yours else f"{who(before, seat)} is"
            return [f"{called} called {clean(name)} now"]
        case events.Moderated(chat=mode):
            return [f"{CHAT[mode]} now"]
        case events.Slept(given_back_ms=ms, seat=seat):
            return [f"the server slept: {ms / 1000:.0f} s are given back to {who(names, seat)}"]
        case events.Created() | events.Ended():
            # The welcome tells of the creation, and the picture of an end.
            return []
        case _:  # pragma: no cover - the union is closed
            assert_never(event)
