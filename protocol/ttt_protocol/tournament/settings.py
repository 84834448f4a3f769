"""The settings of an event, fixed at its creation, and the names of its parts."""

import re
from enum import StrEnum
from operator import not_
from typing import Annotated, NewType, Self

from pydantic import Field, model_validator

from ttt_protocol.base import FromClient, absent
from ttt_protocol.codes import Opening
from ttt_protocol.state import ONE_CLOCK, AiSetting, ClockSetting, Days, Delay, Rules, is_plain

TournamentName = NewType("TournamentName", str)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,19}")
"""Shorter than a room's, because the rooms of an event begin with its name."""


class InvalidTournamentName(ValueError):
    """The text is not 1 to 20 of a-z, 0-9 and `-`, starting with a letter or digit."""


def parse_tournament_name(text: str) -> TournamentName:
    """Fold ASCII upper case to lower case, and check the name.

    Raises:
        InvalidTournamentName: if the text does not name an event.
    """
    if not _NAME.fullmatch(text):
        raise InvalidTournamentName("an event's name is 1 to 20 of a-z, 0-9 and -")
    return TournamentName(text.lower())


class Form(StrEnum):
    """How players are paired."""

    ARENA = "arena"
    """Free players are paired at once, until the time is over."""
    SWISS = "swiss"
    """Rounds against players with similar points; no two meet twice."""
    ROUND_ROBIN = "round-robin"
    """All play all."""
    KNOCKOUT = "knockout"
    """The loser of a tie is out."""
    MATCH = "match"
    """Two players, several games, alternating sides."""
    SIMUL = "simul"
    """The first player against all others at once."""


class TournamentSettings(FromClient):
    """The settings of an event."""

    form: Form
    rules: Rules = Rules()
    clock: ClockSetting | None = None
    days: Days = Field(default=None, exclude_if=absent)
    """Days for each move, as in a room; for a round-robin."""
    opening: Opening = Field(default=Opening.NONE, exclude_if=is_plain)
    """How each game is opened fairly; as in a room."""
    minutes: Annotated[int, Field(ge=1, le=1440)] = 20
    """The length of an arena."""
    rounds: Annotated[int, Field(ge=1, le=99)] = 5
    """The rounds of a Swiss."""
    games: Annotated[int, Field(ge=1, le=1000)] = 1
    """The games of a match, of a knockout tie, or between two players of a round-robin."""
    grace_s: Annotated[int | float, Field(ge=1, le=3600)] = 30
    """How long a player may be away before losing a game."""
    delay_s: Delay = Field(default=0, exclude_if=not_)
    """How late spectators see the boards; as in a room."""
    late_half_points: bool = False
    """Whether a latecomer to a Swiss gets half a point for each missed round."""
    manual: bool = Field(default=False, exclude_if=not_)
    """Whether each round begins when the organiser says `next`. In a Swiss, players who are absent
    then are not paired in that round."""
    public: bool = Field(default=False, exclude_if=not_)
    """Whether the server lists the event for all, as an organiser may choose: its name is its
    entry code."""
    max_players: Annotated[int, Field(ge=2, le=1000)] = 500
    stand_in: AiSetting | None = None
    """The AI that plays the odd player; without it, that player has a bye."""

    @model_validator(mode="after")
    def _days_fit(self) -> Self:
        if self.days is None:
            return self
        if self.clock is not None:
            raise ValueError(ONE_CLOCK)
        if self.form is not Form.ROUND_ROBIN:
            raise ValueError("days a move are for a round-robin")
        return self


class Result(StrEnum):
    """The result for which a game counts."""

    X = "X"
    O = "O"  # noqa: E741 - its name on the board
    DRAW = "draw"
    NEITHER = "neither"
    """Both players forfeited."""
    VOID = "void"
    """The game does not count, and its players may be paired again."""


class EarlyEnd(StrEnum):
    """Why an event ended before everything was played."""

    NO_PAIRING = "no_pairing"
    """No round of a Swiss was left without a repetition."""
    WITHDREW = "withdrew"
    """Fewer than two players were left."""
    ORGANISER = "organiser"
    """The organiser ended it."""
