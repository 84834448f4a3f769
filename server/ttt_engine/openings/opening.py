"""The course of an opening: which side places a stone, and which side chooses what.

The marks take turns as in any game. In an opening it is another question which player puts them
down, and which seat the player has in the end. `pie` is the pie rule of many games; `swap2` is that
of the Gomocup, where the first player sets up a position that the second may take either side of.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple, Self

from ttt_engine.outcome import Mark
from ttt_engine.rules import Rules
from ttt_engine.variant import variant_of


class Choice(StrEnum):
    """The choices of a side."""

    STAY = "stay"
    SWAP = "swap"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class OpeningStage:
    """Stones that one side puts down, and the choice of the other side that follows."""

    placer: Mark
    stones: int
    """The number of moves made when the stage's stones lie there."""

    choices: tuple[Choice, ...]
    """The choices of the other side."""

    @property
    def chooser(self) -> Mark:
        return self.placer.other


_PIE: Final = OpeningStage(Mark.X, 1, (Choice.STAY, Choice.SWAP))
_SWAP2: Final = OpeningStage(Mark.X, 3, (Choice.STAY, Choice.SWAP, Choice.MORE))
_MORE: Final = OpeningStage(Mark.O, 5, (Choice.STAY, Choice.SWAP))
_FIRST: Final = {"pie": _PIE, "swap2": _SWAP2}

_LEAST_IN_A_ROW: Final = 4
"""With fewer, the five stones of a swap2 opening could win."""


class Setup(NamedTuple):
    """A question to a player in an opening."""

    kind: str
    """As `Opening.begin` knows it."""

    seat: Mark
    """That of the player."""

    stones: int
    """The stones when the other side is to choose."""

    choices: tuple[Choice, ...]
    """The choices of the player; empty if a stone is to be placed."""


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening that has begun: its stages so far, and the choices made.

    The sides in a stage are those of the beginning: after a swap, its X has the seat of O. Get one
    from `begin` or `chosen`.
    """

    stages: tuple[OpeningStage, ...]
    choices: tuple[Choice, ...] = ()

    @classmethod
    def begin(cls, kind: str) -> Self:
        """Return the opening of a game that begins. `kind`: "pie" or "swap2"."""
        return cls((_FIRST[kind],))

    @property
    def kind(self) -> str:
        """The opening's name, as `begin` takes it."""
        return next(kind for kind, first in _FIRST.items() if first == self.stages[0])

    @property
    def stage(self) -> OpeningStage | None:
        """The stage under way; None when nothing is left to choose."""
        return self.stages[-1] if len(self.choices) < len(self.stages) else None

    @property
    def stones(self) -> int:
        """The number of moves that belong to the opening, as far as it got."""
        return self.stages[-1].stones

    @property
    def is_swapped(self) -> bool:
        """Whether the players have changed seats."""
        return self.choices[-1:] == (Choice.SWAP,)

    def to_act(self, ply: int, turn: Mark) -> Mark:
        """Return the side that puts the next stone down, or chooses, after `ply` moves.

        `turn`: the side to move, once nothing is left to choose.
        """
        stage = self.stage
        if stage is None:
            return turn
        return stage.placer if ply < stage.stones else stage.chooser

    def to_choose(self, ply: int) -> tuple[Choice, ...]:
        """Return what the side to act may choose; nothing if it is to put a stone down."""
        stage = self.stage
        return () if stage is None or ply < stage.stones else stage.choices

    def to_place(self, ply: int) -> int:
        """Return how many stones more the side to act puts down before the other chooses."""
        return 0 if self.stage is None else max(0, self.stage.stones - ply)

    def setup(self, ply: int, turn: Mark) -> Setup:
        """Return what the side to act is asked for after `ply` moves; `turn` as in `to_act`."""
        return Setup(self.kind, self.to_act(ply, turn), self.stones, self.to_choose(ply))

    def chosen(self, choice: Choice) -> "Opening":
        """Return the opening after a choice of the stage under way."""
        more = (_MORE,) if choice is Choice.MORE else ()
        return replace(self, stages=self.stages + more, choices=(*self.choices, choice))

    def placed_by(self, ply: int) -> Mark | None:
        """Return the seat, by now, of the player that made this move; None after the opening."""
        for stage in self.stages:
            if ply < stage.stones:
                return self._now(stage.placer)
        return None

    def chosen_by(self, ply: int) -> tuple[Mark, Choice] | None:
        """Return the choice made after `ply` moves, and the seat by now of the player that chose.

        None if nothing was chosen there.
        """
        for stage, choice in zip(self.stages, self.choices, strict=False):
            if ply == stage.stones:
                return self._now(stage.chooser), choice
        return None

    def _now(self, side: Mark) -> Mark:
        return side.other if self.is_swapped else side


def why_not(kind: str, rules: Rules) -> str | None:
    """Return why games on this board cannot open so; None if they can."""
    if kind == "pie" and rules.variant is not None and not variant_of(rules.variant).has_pie:
        return f"{rules.variant} has no opening"
    if kind != "swap2":
        return None
    if rules.variant is not None:
        return "swap2 is for the plain game"
    if rules.gravity:
        return "swap2 is for boards without gravity"
    if rules.in_a_row < _LEAST_IN_A_ROW:
        return f"swap2 needs {_LEAST_IN_A_ROW} in a row or more"
    return None
