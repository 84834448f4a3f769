"""Quick match: pair players who seek the same game, and offer an AI after a while."""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any, Final

from ttt_protocol import state
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Seek
from ttt_protocol.messages import AiOffered, Paired
from ttt_protocol.strengths import Strength, ai_of
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.core.room import engine_rules, require_opens, whole_rules
from ttt_server.rooms.admission import HOLD_S, HeldSeat, Reservations
from ttt_server.rooms.live_room import Recipient

QUICK_MATCH: Final = state.RoomName("quick match")
"""What the one server owns, of many, at which all seek. No room has a name like this."""

_MOST_TOLD: Final = 16


def _settings(wish: state.Sought, **more: Any) -> state.GivenSettings:
    """Return the settings of such a room, with defaults for the rest."""
    return state.GivenSettings(rules=wish.rules, clock=wish.clock, opening=wish.opening, **more)


class Matchmaker:
    """The waiting players. At most one per wish: a second is paired at once."""

    def __init__(self, holder: Reservations, wait_s: float, random: Random) -> None:
        """`wait_s`: how long a player waits before an AI is offered."""
        self._holder = holder
        self._random = random
        self._waiting: dict[state.Sought, Recipient] = {}
        self._wishes: dict[Recipient, state.Sought] = {}
        self._patience: Deadlines[Recipient] = Deadlines(wait_s, self._offer_ai)

    @property
    def seeking(self) -> bytes:
        """What is sought, as JSON for the lobby: the `seeking` of `Rooms`."""
        return b"[%b]" % b",".join(map(encode_message, islice(self._waiting, _MOST_TOLD)))

    def seek(self, listener: Recipient, seek: Seek) -> None:
        """Pair a player, now or when another with the same wish comes.

        Raises:
            Refused: `bad_command` if that board has no such opening.
        """
        rules = whole_rules(seek.rules, "rules")
        wish = state.Sought(rules=rules, clock=seek.clock, opening=seek.opening)
        require_opens(wish.opening, engine_rules(_settings(wish)), "opening")
        self.forget(listener)
        if seek.ai:
            self._pair_with_ai(listener, wish)
        elif (other := self._waiting.get(wish)) is not None:
            self.forget(other)
            self._pair(other, listener, wish)
        else:
            self._waiting[wish] = listener
            self._wishes[listener] = wish
            self._patience.add(listener)

    def forget(self, listener: Recipient) -> None:
        """Drop the wish of a connection, if it has one."""
        wish = self._wishes.pop(listener, None)
        if wish is not None:
            del self._waiting[wish]
            self._patience.discard(listener)

    def _pair(self, first: Recipient, second: Recipient, wish: state.Sought) -> None:
        marks = state.Mark.X, state.Mark.O
        name, seats = self._holder.hold(_settings(wish), marks, makes_host=False)
        players = [first, second]
        self._random.shuffle(players)
        self._invite(name, players, seats)

    def _pair_with_ai(self, listener: Recipient, wish: state.Sought) -> None:
        against_ai = state.SeatSettings(O=ai_of(Strength.FAIR, wish.rules))
        settings = _settings(wish, seats=against_ai)
        name, seats = self._holder.hold(settings, (state.Mark.X,), makes_host=True)
        self._invite(name, [listener], seats)

    def _invite(
        self, name: state.RoomName, players: Sequence[Recipient], seats: Sequence[HeldSeat]
    ) -> None:
        """Tell players of their seats once every server leads to the room."""

        def settled(error: BaseException | None) -> None:
            for player, held in zip(players, seats, strict=True):
                self.forget(player)  # it may have sought again meanwhile
                if error is None:
                    told = Paired(room=name, token=held.token, seat=held.seat, within_s=HOLD_S)
                    player.send(encode_message(told))
                    player.dismiss(CloseCode.BYE)
                else:
                    player.dismiss(CloseCode.RESTARTING)

        self._holder.settle_here(name, settled)

    def _offer_ai(self, listener: Recipient) -> None:
        ai = ai_of(Strength.FAIR, self._wishes[listener].rules)
        listener.send(encode_message(AiOffered(strategy=ai.strategy, level=ai.level)))
