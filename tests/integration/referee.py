"""The rules once more, from the contract alone: folds a room's log and finds what is not legal."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = dict[str, Any]

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass
class Referee:
    """Follows one room from its first event on; an `AssertionError` names what was wrong."""

    seq: int = 0
    rules: dict[str, Any] = field(default_factory=dict)
    seated: dict[str, bool] = field(default_factory=lambda: {"X": False, "O": False})
    game: int = 0
    moves: list[int] = field(default_factory=list)
    running: bool = False

    def follow(self, event: Event) -> None:
        assert event["seq"] == self.seq + 1, f"{event} after {self.seq}"
        self.seq += 1
        match event["type"]:
            case "created":
                self.rules = event["settings"]["rules"]
            case "seated":
                self.seated[event["seat"]] = True
            case "left":
                self.seated[event["seat"]] = False
            case "started":
                assert not self.running, event
                assert event["game"] == self.game + 1, event
                self.game, self.moves, self.running = event["game"], [], True
            case "played":
                self._play(event)
            case "taken_back":
                assert self.running, event
                self.moves = self.moves[: event["ply"]]
            case "ended":
                self._end(event)
            case other:
                assert other in {"offered", "declined"}, event

    def _play(self, event: Event) -> None:
        assert self.running, event
        assert event["game"] == self.game, event
        assert event["ply"] == len(self.moves), event
        assert event["seat"] == "XO"[event["ply"] % 2], event
        assert 0 <= event["cell"] < self.rules["columns"] * self.rules["rows"], event
        assert event["cell"] not in self.moves, event
        below = event["cell"] + self.rules["columns"]
        on_the_floor = below >= self.rules["columns"] * self.rules["rows"]
        assert not self.rules["gravity"] or on_the_floor or below in self.moves, event
        assert not self._has_line(), event
        self.moves.append(event["cell"])

    def _end(self, event: Event) -> None:
        assert self.running, event
        assert event["game"] == self.game, event
        self.running = False
        outcome = event["outcome"]
        has_line = self._has_line()
        assert (outcome["reason"] == "line") == has_line, event
        if has_line:
            assert outcome["winner"] == "XO"[(len(self.moves) - 1) % 2], event
        if outcome["reason"] == "full":
            assert len(self.moves) == self.rules["columns"] * self.rules["rows"], event

    def _has_line(self) -> bool:
        """Whether the last move made a line."""
        if not self.moves:
            return False
        columns, rows = self.rules["columns"], self.rules["rows"]
        own = {divmod(cell, columns) for cell in self.moves[(len(self.moves) - 1) % 2 :: 2]}
        row, column = divmod(self.moves[-1], columns)
        for right, down in _DIRECTIONS:
            count = 1
            for way in (1, -1):
                at = (row + down * way, column + right * way)
                while at in own:
                    count += 1
                    at = (at[0] + down * way, at[1] + right * way)
            if count >= self.rules["in_a_row"]:
                return True
        assert rows > row
        return False


def logs(data: Path) -> dict[str, list[Event]]:
    """The log of every room in a data folder whose server has ended."""
    with closing(sqlite3.connect(data / "ttt.sqlite3")) as database:
        tables = (
            "SELECT room, seq, event FROM events UNION ALL SELECT room, seq, event FROM journal"
        )
        rows = database.execute(f"{tables} ORDER BY room, seq").fetchall()
    found: dict[str, list[Event]] = {}
    for room, first, lines in rows:
        for seq, text in enumerate(lines.split("\n"), first):
            event = json.loads(text)
            assert event["seq"] == seq
            found.setdefault(room, []).append(event)
    return found


def judge(log: list[Event]) -> Referee:
    """The room after its whole log, every event of which is legal."""
    referee = Referee()
    for event in log:
        referee.follow(event)
    return referee
