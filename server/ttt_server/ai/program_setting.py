"""The operator's setting for a program as a strategy: `[strategies.mine]`."""

import shlex
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ttt_engine import InvalidRules, Rules


class ProgramSetting(BaseModel):
    """A program that may sit in AI seats."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exec: str
    """The program and its arguments, in shell syntax."""
    protocol: Literal["json", "gomocup"] = "json"
    boards: str = ""
    """The boards it plays, as `15x15x5 19x19x5`; empty for every board."""
    levels: bool = False
    """Whether it reads `TTT_LEVEL`."""
    time_s: Annotated[float, Field(gt=0, le=15)] = 2.0
    """For a move; less with a clock, as for strategies of the engine."""
    about: Annotated[str, Field(max_length=200)] = "A program of this server."

    @field_validator("exec")
    @classmethod
    def _require_command(cls, command: str) -> str:
        try:
            words = shlex.split(command)
        except ValueError:
            raise ValueError("is not valid shell syntax") from None
        if not words:
            raise ValueError("must name a program")
        return command

    @field_validator("boards")
    @classmethod
    def _require_boards(cls, boards: str) -> str:
        try:
            _ = [Rules.parse(board) for board in boards.split()]
        except InvalidRules as error:
            raise ValueError(str(error)) from None
        return boards

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.exec)

    def plays(self, rules: Rules) -> bool:
        """Whether the operator lets it play on this board, and its language can."""
        if rules.variant is not None and not self.boards:
            return False  # a variant is played only by a program that was given it by name
        is_other = rules.in_a_row != 5 or rules.gravity or rules.variant is not None
        if self.protocol == "gomocup" and is_other:
            return False
        return not self.boards or str(rules) in self.boards.split()
