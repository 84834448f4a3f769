"""Which message of the server answers which command.

An answer is what the command leads to, or a refusal. A server skips states that a slow reader has
not taken, with their events: then only the state tells.
"""

from typing import TypeGuard, TypeVar

from ttt_client.model.view import View
from ttt_protocol import commands
from ttt_protocol.commands import BaseCommand
from ttt_protocol.events import Declined, Ended, Offered, Seated, Started, TakenBack
from ttt_protocol.messages import Cleared, Hint, Message, Refused, Said, Update, Welcome
from ttt_protocol.state import ModerationAction, OfferKind

_AGREED: dict[OfferKind, type[Ended | TakenBack | Started]] = {
    OfferKind.DRAW: Ended,
    OfferKind.TAKEBACK: TakenBack,
    OfferKind.REMATCH: Started,
}
"""The event that follows from an offer that was accepted."""


Lasting = commands.Play | commands.Choose | commands.Resign | commands.Claim
"""The commands that may be sent again on the next connection."""

_Sent = TypeVar("_Sent", bound=BaseCommand)


def answered(sent: list[_Sent], message: Message, before: View, view: View) -> list[_Sent]:
    """Return the commands that `message` answers, which made `view` of the view `before`.

    A refusal, what was said or an update without events answers the first of its kind; a hint or
    another update as many as it can, since the server answers two hints, or two equal moves, at
    once.
    """
    has_gap = _has_gap(message, before)
    found = [one for one in sent if answers(message, one, view, has_gap=has_gap)]
    is_empty = isinstance(message, Update) and not message.events
    return found[:1] if is_empty or isinstance(message, Refused | Said) else found


def answers(message: Message, command: BaseCommand, view: View, *, has_gap: bool = False) -> bool:
    """Return whether `message` answers `command`, after it was folded into `view`.

    Args:
        message: the message.
        command: the command, which waits for its answer.
        view: the room after the message.
        has_gap: whether updates were skipped before the message.
    """
    match message:
        case Refused(id=None, command=refused):
            return refused in {command.model_dump()["type"], None}
        case Refused(id=refused):
            return refused == command.id
        case Hint():
            return isinstance(command, commands.AskHint)
        case Cleared() if isinstance(command, commands.Moderate):
            return command.action is ModerationAction.CLEAR
        case Said():
            return isinstance(command, commands.Say) and _is_ours(message, view)
        case Update(events=()) if survives(command):
            return _shows(command, view)  # else it answers what was sent twice
        case Update(events=()):
            return not isinstance(command, commands.Say | commands.AskHint)
        case Update():
            return _is_carried_out(command, message, view, has_gap=has_gap)
        case Welcome():
            return survives(command) and _shows(command, view)
        case _:
            return False


def survives(command: BaseCommand) -> TypeGuard[Lasting]:
    """Return whether `command` may be sent again on the next connection: it never acts twice."""
    return isinstance(command, Lasting)


def _is_ours(said: Said, view: View) -> bool:
    """Return whether it was said here. The name may be the one before a `rename`."""
    members = [you for you in (view.you, view.partner) if you is not None]
    if said.from_ is None:
        return said.name in {you.name for you in members}
    return said.from_ in {you.from_ or you.id for you in members}


def _is_carried_out(command: BaseCommand, update: Update, view: View, *, has_gap: bool) -> bool:
    match command:
        case commands.Play() | commands.Choose() | commands.Resign() | commands.Claim():
            return _shows(command, view)
        case commands.Offer(kind=kind):
            offers = [event for event in update.events if isinstance(event, Offered)]
            is_open = any(one.kind is kind and one.seat is view.seat for one in offers)
            return is_open or has_gap or _tells(update, _AGREED[kind])
        case commands.Accept(kind=kind):
            return has_gap or _tells(update, _AGREED[kind])
        case commands.Decline():
            return has_gap or _tells(update, Declined)
        case commands.Fill():
            return has_gap or _tells(update, Seated)
        case commands.AskHint():
            return not view.your_turn  # the server thinks no longer about this position
        case commands.Say():
            return has_gap
        case commands.Leave():
            return False
        case _:
            return True


def _shows(command: Lasting, view: View) -> bool:
    """Return whether the state shows that `command` was carried out, or is needed no more."""
    if (game := view.game) is None:
        return False
    match command:
        case commands.Play(game=number, ply=ply, cell=cell):
            return game.number > number or game.moves[ply : ply + 1] == (cell,)
        case commands.Choose(game=number, ply=ply):
            is_open = game.number == number and game.ply == ply and game.choices
            return not is_open or game.outcome is not None
        case _:
            return game.number > command.game or game.outcome is not None


def _tells(update: Update, kind: type[object]) -> bool:
    return any(isinstance(event, kind) for event in update.events)


def _has_gap(message: Message, before: View) -> bool:
    """Return whether updates between the view before and this message were skipped."""
    if not isinstance(message, Update) or before.room is None or not message.events:
        return False
    return message.events[0].seq > before.room.seq + 1
