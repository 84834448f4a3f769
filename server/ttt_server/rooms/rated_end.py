"""The end of a rated game, which waits until the game has its number within the day."""

from dataclasses import replace
from typing import Protocol

from ttt_protocol.codec import EncodedEvents, encode_log
from ttt_protocol.codes import Unrated
from ttt_protocol.events import Ended
from ttt_server.core.evolve import Decision
from ttt_server.core.rated import GAMES_A_DAY
from ttt_server.core.room import Room
from ttt_server.storage.base import OutcomeUnknown, StorageFailed

Step = tuple[Decision, EncodedEvents]
"""One step of a `Change`: a decision, and its events as JSON."""


class CountsGames(Protocol):
    """Counts the games of two persons."""

    async def number(self, room: Room, at: int) -> int:
        """Return the number of the game that ends in this room, from 1, within a day.

        The same game has the same number whenever it is asked for.

        Args:
            room: before the end.
            at: when it ends, in Unix ms.

        Raises:
            StorageFailed: if it cannot be found out.
        """


async def mark_uncounted(rated: CountsGames, before: Room, steps: list[Step]) -> None:
    """Mark the ends of games in `steps` that do not count. `before` is the room before the first.

    Raises:
        StorageFailed: if that cannot be found out.
    """
    for place, (step, _) in enumerate(steps):
        for ended in [event for event in step.events if isinstance(event, Ended)]:
            number = await _number(rated, before, ended)
            if number > GAMES_A_DAY and ended.unrated is None:
                steps[place] = _uncounted(step, ended)


async def _number(rated: CountsGames, before: Room, ended: Ended) -> int:
    try:
        return await rated.number(before, ended.at)
    except OutcomeUnknown as error:  # of the count, which may be repeated
        raise StorageFailed(str(error)) from None


def _uncounted(step: Decision, ended: Ended) -> Step:
    """Return a decision whose game does not count, and its events as JSON."""
    told = replace(ended, unrated=Unrated.SAME_OPPONENT)
    events = tuple(told if event is ended else event for event in step.events)
    after, game = step.after, step.after.game
    if game is not None and game.number == ended.game:
        after = after.replace(game=replace(game, unrated=told.unrated))
    return Decision(after, events), encode_log(events)
