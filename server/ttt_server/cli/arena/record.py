"""The file of an arena's games, one JSON object a line, so that a killed arena can resume.

The first line has what the games depend on: rules, seed, opening. Each other line is a game:

    {"arena":"ttt/1","rules":"3x3x3","seed":0,"opening":0}
    {"pair":["exec:./mybot","rules"],"game":0,"moves":[4,0,…],"winner":"X","forfeit":null}
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO

from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import PairGame
from ttt_server.cli.arena.worker import as_json, played_of

_KIND = "ttt/1"

Pair = tuple[str, str]
"""The names of the two, as `str(contestant)` gives them."""


class BadRecord(Exception):
    """The file does not belong to this arena; the message is one line."""


class ArenaTerms(NamedTuple):
    """The terms of an arena, on which its games depend."""

    rules: str
    seed: int
    opening: int | str
    """The random moves before each game, or the kind of a fair opening."""


class ArenaRecord:
    """The games that are not counted yet, and the file of all games if one is named.

    Args:
        path: the file; `None` for none.
        terms: those of this arena.
        resumes: continue with the games in the file.

    Raises:
        BadRecord: the file exists and is not to be resumed, or is of another arena.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path | None, terms: ArenaTerms, *, resumes: bool) -> None:
        self._games: dict[Pair, dict[int, PairGame]] = {}
        self._had: set[tuple[Pair, int]] = set()
        self._file: TextIO | None = None
        if path is None:
            return
        if path.exists() and path.stat().st_size and not resumes:
            raise BadRecord(f"{path} is there: give --resume to go on with it")
        if path.exists():
            self._read(path, terms)
        is_new = not path.exists() or not path.stat().st_size
        self._file = path.open("a", encoding="utf-8")
        if is_new:
            self._write({"arena": _KIND, **terms._asdict()})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def has(self, pair: tuple[Contestant, Contestant], number: int) -> bool:
        """Whether the file had this game of these two."""
        return (_names(pair), number) in self._had

    def games(self, pair: tuple[Contestant, Contestant]) -> dict[int, PairGame]:
        """Return the games of these two by their number. Taking one out leaves it in the file."""
        return self._games.setdefault(_names(pair), {})

    def add(self, pair: tuple[Contestant, Contestant], games: Iterable[PairGame]) -> None:
        """Add games, and write them to the file.

        Raises:
            OSError: they cannot be written.
        """
        names = _names(pair)
        for played in games:
            self._games.setdefault(names, {})[played.number] = played
            self._write({"pair": names, **as_json(played)})
        if self._file is not None:
            self._file.flush()

    def _write(self, told: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(told, separators=(",", ":")) + "\n")

    def _read(self, path: Path, terms: ArenaTerms) -> None:
        whole = path.read_bytes()
        end = whole.rfind(b"\n") + 1
        if end < len(whole):  # the arena was killed in the middle of a line
            with path.open("r+b") as file:
                file.truncate(end)
        head, *lines = whole[:end].splitlines() or [b"{}"]
        try:
            if end and json.loads(head) != {"arena": _KIND, **terms._asdict()}:
                theirs = head[:200].decode(errors="replace")
                raise BadRecord(f"{path} has games of other rules, seed or opening: {theirs}")
            for line in lines:
                told = json.loads(line)
                first, second = told["pair"]
                played = played_of(told)
                self._games.setdefault((first, second), {})[played.number] = played
                self._had.add(((first, second), played.number))
        except (ValueError, KeyError, TypeError):
            raise BadRecord(f"{path} is no file of an arena") from None


def _names(pair: tuple[Contestant, Contestant]) -> Pair:
    first, second = pair
    return str(first), str(second)
