"""`ttt-server ladder`: a standing ladder of programs and strategies on one machine.

All games are in one file, and the ladder goes on where it was. Near equals meet, and a new line of
the list is placed by the games that it plays first.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from ttt_engine import EngineError, Rules
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.crosstable import CrossTable
from ttt_engine.arena.match import Batch, Match, PairGame
from ttt_engine.arena.ratings import next_pair
from ttt_protocol.bots.conversation import GRACE_S
from ttt_protocol.text import clean
from ttt_server.cli.arena.command import BatchFailed, parse_rules, play_all, seconds
from ttt_server.cli.arena.entrants import entrants
from ttt_server.cli.arena.record import ArenaRecord, ArenaTerms, BadRecord
from ttt_server.cli.arena.report import as_svg
from ttt_server.cli.arena.worker import Limits
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, one_or_more, tell
from ttt_server.config.options import InvalidConfig

PROGRAM = "ttt-server ladder"

_DESCRIPTION = """Play a ladder of programs and strategies on this machine: near equals meet, new
ones are placed quickly, and all games are kept in one file, so that it goes on where it was."""

_STRATEGY_LIMIT_S = 60.0


@command(PROGRAM, _DESCRIPTION, wrong=(EngineError, BadRecord), failed=(BatchFailed, OSError))
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Play some games of the ladder, print the standings, and return the exit status."""
    option = parser.option
    words = 'a contestant a line: "exec:./mybot", "gomocup:./engine", "minimax:5"; # for notes'
    option("--programs FILE", words, type=Path, required=True)
    words = "file of all its games (default: ladder.jsonl)"
    option("--save FILE", words, type=Path, default=Path("ladder.jsonl"))
    option("-n --games N", "games to play now (default: 100)", type=one_or_more, default=100)
    option("--rules CxRxK[g]", "the board (default: 3x3x3)", type=parse_rules, default=Rules())
    option("--time S", "seconds of a program for a move (default: 1)", type=seconds, default=1.0)
    option("--openings N", "random moves before a game (default: 2)", type=one_or_more, default=2)
    option("--workers N", "number of processes (default: 1)", type=one_or_more, default=1)
    option("--plot FILE.svg", "draw the ratings and the results", type=Path)
    option("--standings FILE", "write JSON that a server shows at /ladder", type=Path)
    parser.flag("--json", "print JSON")
    asked = parser.parse_args(arguments)
    try:
        contestants = _listed(asked.programs, asked.rules)
    except OSError as error:
        raise InvalidConfig(f"{asked.programs}: {error.strerror}") from None
    if len(contestants) < 2:
        raise InvalidConfig(f"{asked.programs} names fewer than two")
    table = _played(contestants, asked)
    if asked.plot is not None:
        asked.plot.write_text(as_svg(table), encoding="utf-8")
    if asked.standings is not None:
        _publish(table, asked.standings)
    return tell(PROGRAM, json.dumps(_as_object(table)) if asked.json else _as_text(table))


def _listed(path: Path, rules: Rules) -> tuple[Contestant, ...]:
    """Return the contestants that the file names.

    Raises:
        OSError: it cannot be read.
        EngineError: a line names none that plays on this board.
    """
    lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return tuple(dict.fromkeys(entrants([line for line in lines if line], rules, [])))


def _played(contestants: tuple[Contestant, ...], asked: argparse.Namespace) -> CrossTable:
    ladder = _Ladder(contestants, asked.rules, asked.openings)
    terms = ArenaTerms(str(asked.rules), 0, asked.openings)
    with (
        ArenaRecord(asked.save, terms, resumes=True) as record,
        Progress(asked.games, "games") as progress,
    ):
        for pair in ladder.pairs:
            ladder.count(pair, list(record.games(pair).values()))

        def count(batch: Batch, played: list[PairGame]) -> bool:
            record.add(batch.pair, played)
            record.games(batch.pair).clear()
            ladder.count(batch.pair, played)
            progress.advance(len(played))
            return True

        limits = Limits(_STRATEGY_LIMIT_S, asked.time, GRACE_S)
        asyncio.run(play_all(ladder.batches(asked.games), asked.workers, limits, count))
    return ladder.table


class _Ladder:
    """The matches of all pairs, which decide on the next."""

    def __init__(self, contestants: tuple[Contestant, ...], rules: Rules, opening: int) -> None:
        self.pairs = list(combinations(contestants, 2))
        self._contestants = contestants
        self._rules = rules
        self._opening = opening
        self._matches = dict.fromkeys(self.pairs, Match())
        self._begun = dict.fromkeys(self.pairs, 0)

    @property
    def table(self) -> CrossTable:
        matches = tuple(self._matches.values())
        most = max(match.record.games for match in matches)
        return CrossTable(self._contestants, self._rules, most, 0, matches, self._opening)

    def count(self, pair: tuple[Contestant, Contestant], games: list[PairGame]) -> None:
        for played in games:
            self._matches[pair] = self._matches[pair].with_game(played)
            self._begun[pair] = max(self._begun[pair], played.number + 1)

    def batches(self, games: int) -> Iterator[Batch]:
        """Yield two games of each next pair, decided when a process is free."""
        for _ in range(0, games, 2):
            pair = self._next()
            first = self._begun[pair] + self._begun[pair] % 2
            self._begun[pair] = first + 2
            yield Batch(pair, self._rules, 0, (first, first + 1), self._opening)

    def _next(self) -> tuple[Contestant, Contestant]:
        size = len(self._contestants)
        elo, games = [0.0] * size, [0] * size
        for standing in self.table.standings():
            elo[standing.place] = standing.rating.elo
        met: dict[tuple[int, int], int] = {}
        for indices, pair in zip(combinations(range(size), 2), self.pairs, strict=True):
            met[indices] = self._begun[pair]  # those under way count, too
            for place in indices:
                games[place] += self._begun[pair]
        one, other = next_pair(elo, games, met)
        return self._contestants[one], self._contestants[other]


def _publish(table: CrossTable, path: Path) -> None:
    """Replace the file in one step: a server may read it at any time."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(_as_object(table)), encoding="utf-8")
    new.replace(path)


def _as_text(table: CrossTable) -> str:
    standings = table.standings()
    names = [clean(str(table.contestants[standing.place])) for standing in standings]
    width = max(map(len, names))
    lines = [f"{table.rules}, after {table.opening} random moves", ""]
    lines.append(f"   {'':{width}}{'Elo':>10}{'games':>8}{'won':>7}{'drawn':>7}{'lost':>7}")
    for number, (standing, name) in enumerate(zip(standings, names, strict=True), 1):
        elo = f"{standing.rating.elo:+.0f}±{standing.rating.error:.0f}"
        won, drawn, lost = standing.record
        counts = f"{standing.record.games:>8}{won:>7}{drawn:>7}{lost:>7}"
        lines.append(f"{number:>2} {name:{width}}{elo:>10}{counts}")
    lines += [
        f"{clean(str(table.contestants[standing.place]))} forfeited {standing.forfeits.games}; "
        f"the first: {clean(standing.forfeits.reason)}"
        for standing in standings
        if standing.forfeits.games
    ]
    return "\n".join(lines)


def _as_object(table: CrossTable) -> dict[str, Any]:
    return {
        "rules": str(table.rules),
        "standings": [
            {
                "name": str(table.contestants[standing.place]),
                "elo": round(standing.rating.elo, 1),
                "error": round(standing.rating.error, 1),
                **standing.record._asdict(),
                "forfeits": standing.forfeits.games,
            }
            for standing in table.standings()
        ],
    }
