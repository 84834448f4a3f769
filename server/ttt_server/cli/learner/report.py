"""Write what the learner knows: lines for people, an object for programs. Pure."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from ttt_engine import Mark
from ttt_engine.learning.memory import WHOLE_GAMES, Memory
from ttt_engine.learning.training import Punisher
from ttt_protocol.text import counted
from ttt_server.storage.lessons import HOUR_MS

_KEY = {False: "forgotten", True: "would_forget"}
"""The key of the games that were forgotten, by whether they were only counted."""


class Forgotten(NamedTuple):
    """The lessons that the learner was made to forget."""

    games: int
    hour: int
    """Since when, in hours of Unix time."""
    is_dry: bool
    """Whether the games were only counted."""

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.hour * HOUR_MS / 1000, UTC)
        done = "would forget" if self.is_dry else "forgot"
        return f"{done} {counted(self.games, 'game')} learned since {since:%Y-%m-%d %H:%M} UTC"


def as_object(memory: Memory, trained: int, forgotten: Forgotten | None = None) -> dict[str, Any]:
    """Return what a learner with this memory knows, after a training of `trained` games.

    docs/strategies.md describes the object.
    """
    punisher = Punisher(memory)
    chances = {mark.value: punisher.chance(mark) for mark in Mark}
    gone = {} if forgotten is None else {_KEY[forgotten.is_dry]: forgotten.games}
    return gone | {
        "trained": trained,
        "games": memory.games,
        "whole_games": memory.whole_games,
        "whole_games_there_are": WHOLE_GAMES,
        "beaten": {mark: float(chance) for mark, chance in chances.items()},
        "beaten_exactly": {mark: str(chance) for mark, chance in chances.items()},
        "unbeatable": not any(chances.values()),
    }


def as_text(memory: Memory, trained: int, forgotten: Forgotten | None = None) -> str:
    """Return the same as lines of text."""
    punisher = Punisher(memory)
    chances = {mark: punisher.chance(mark) for mark in Mark}
    lines = [] if forgotten is None else [str(forgotten)]
    lines += [f"trained in {counted(trained, 'game')}"] if trained else []
    lines += [
        f"games seen         {memory.games}",
        f"whole games known  {memory.whole_games} of {WHOLE_GAMES}",
    ]
    if not any(chances.values()):
        return "\n".join([*lines, "No opponent can beat it."])
    lines.append("Its best opponent beats it")
    lines += [f"  as {mark}: {100 * float(chances[mark]):.2f} % ({chances[mark]})" for mark in Mark]
    return "\n".join(lines)
