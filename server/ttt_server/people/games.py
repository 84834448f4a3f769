"""The index of a person's games: rows derived from the logs, and pages of them. Pure.

There is a row for each person in each game. `stage` comes first in the order of a list: games in
which it is the person's turn, those that run, those that are over; within each the newest first.
"""

import re
from collections.abc import Iterable, Sequence
from json import dumps, loads
from typing import Any, Final, NamedTuple

from ttt_protocol.codec import encode_message
from ttt_protocol.state import Ai, Human, Mark, Player
from ttt_server.core.room import Room, engine_rules
from ttt_server.people.log_reader import SeenGame, person_of
from ttt_server.storage.people import Row, Statement, Value

STATES: Final = ("turn", "running", "finished")
"""The states of a game for one of its persons; the place of each is its `stage`."""

_TURN, _RUNNING, _OVER = range(3)

MOST: Final = 100
"""Games on one page."""

_EVER: Final = 1 << 62
"""Later than any event."""

_WRITE: Final = """
INSERT INTO games (
    room, game, person, seq, stage, at, seat, board, opponent, opponent_key, opponent_person,
    is_public, facts
)
SELECT $1, CAST($2 AS BIGINT), $3, CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT), $7,
       $8, $9, $10, $11, CAST($12 AS BIGINT), $13
WHERE EXISTS (SELECT 1 FROM persons WHERE id = $3)
ON CONFLICT (room, game, person) DO UPDATE
SET seq = excluded.seq, stage = excluded.stage, at = excluded.at, seat = excluded.seat,
    opponent = excluded.opponent, opponent_key = excluded.opponent_key,
    opponent_person = excluded.opponent_person, facts = excluded.facts
WHERE excluded.seq > games.seq"""
_WRITE_END: Final = """
UPDATE games SET seq = $3, stage = 2, at = $4, facts = $5
WHERE room = $1 AND game = $2 AND seq < $3"""
"""For those who left the game while it ran."""

_COLUMNS: Final = "room, game, stage, at, seat, opponent, opponent_person, is_public, facts"
_PAGE: Final = (
    f"SELECT {_COLUMNS} FROM games WHERE person = $1 AND stage = $2"  # noqa: S608 - ours
    " AND (at, room, game) < ($3, $4, $5){more}"
    " ORDER BY at DESC, room DESC, game DESC LIMIT $6"
)
_PUBLIC: Final = " AND is_public = 1"
EVERY_GAME: Final = (
    f"SELECT {_COLUMNS} FROM games WHERE person = $1"  # noqa: S608 - ours
    " ORDER BY stage, at DESC, room DESC, game DESC"
)
"""Its rows are all games of a person."""


def key_of(name: str) -> str:
    """Return the same for names that differ in case or spaces, to look games up by opponent."""
    return " ".join(name.casefold().split())


class GameIndex:
    """The table `games`."""

    clear: Sequence[Statement] = (Statement("DELETE FROM games"),)

    def statements(self, game: SeenGame) -> Iterable[Statement]:
        """Return the statement that writes a row for each person in a game."""
        room, number, at = game.room, game.game.number, game.room.changed_at
        facts = _facts(game)
        for person, seat in game.persons.items():
            opponent = game.seats[seat.other]
            name = "" if opponent is None else opponent.name
            values = (
                *(room.name, number, person, game.seq, _stage(game, person), at, seat.value),
                *(str(engine_rules(room.settings)), name, key_of(name), person_of(opponent)),
                *(int(_is_public(room)), _with_opponent(facts, opponent)),
            )
            yield Statement(_WRITE, values)
        if game.is_over:
            yield Statement(_WRITE_END, (room.name, number, game.seq, at, dumps(facts)))


def _stage(game: SeenGame, person: str) -> int:
    if game.is_over:
        return _OVER
    return _TURN if game.to_act == person else _RUNNING


def _is_public(room: Room) -> bool:
    """Return whether a room's games are public."""
    settings = room.settings
    return settings.public and settings.spectators and room.password_hash is None


def _facts(seen: SeenGame) -> dict[str, Any]:
    """Return what a list shows of a game, for both sides."""
    room, game = seen.room, seen.game
    facts: dict[str, Any] = {
        "rules": loads(encode_message(room.settings.rules)),
        "ply": game.ply,
        "board": game.position.board,
    }
    if game.outcome is not None:
        facts["outcome"] = loads(game.outcome.to_json())
    elif room.settings.days is not None and room.flag_falls_at is not None:
        facts |= {"days": room.settings.days, "falls_at": room.flag_falls_at}
    if room.settings.delay_s and game.outcome is None:
        facts["delayed"] = True
    return facts


def _with_opponent(facts: dict[str, Any], opponent: Player | None) -> str:
    match opponent:
        case Ai(strategy=strategy, level=level):
            return dumps(facts | {"ai": {"strategy": strategy, "level": level}})
        case Human(bot=True):
            return dumps(facts | {"bot": True})
        case _:
            return dumps(facts)


class Cursor(NamedTuple):
    """The last game of a page. The next page begins after it."""

    stage: int = _TURN
    at: int = _EVER
    room: str = ""
    game: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Parse what `str` wrote.

        Raises:
            ValueError: if it is something else.
        """
        stage, at, room, game = text.split(".")
        if not all(re.fullmatch(r"[0-9]{1,18}", number) for number in (stage, at, game)):
            raise ValueError(text)
        return cls(int(stage), int(at), room, int(game))


class GamesWish(NamedTuple):
    """The games to list."""

    state: str | None = None
    """One of `STATES`; `None` for all, in their order."""
    board: str | None = None
    """The rules, as the engine writes them: `7x6x4g`."""
    opponent: str | None = None
    """The opponent's name, in any case."""
    after: Cursor | None = None
    limit: int = MOST


class ListedGame(NamedTuple):
    """A game in a list."""

    cursor: Cursor
    fields: dict[str, Any]
    """As in JSON."""


def page(person: str, wish: GamesWish, *, is_for_all: bool = False) -> list[Statement]:
    """Return statements whose rows, one after the other, begin with the page.

    `is_for_all`: only games that everyone may know of.
    """
    after = wish.after or Cursor()
    more, values = _PUBLIC if is_for_all else "", list[str]()
    for column, value in (
        ("board", wish.board),
        ("opponent_key", None if wish.opponent is None else key_of(wish.opponent)),
    ):
        if value is not None:
            values.append(value)
            more += f" AND {column} = ${6 + len(values)}"
    found = []
    for stage, state in enumerate(STATES):
        if stage < after.stage or wish.state not in (None, state):
            continue
        begin = after if stage == after.stage else Cursor(stage)
        asked: tuple[Value, ...] = person, *begin, wish.limit + 1, *values
        found.append(Statement(_PAGE.format(more=more), asked))
    return found


def listed(rows: Iterable[Row]) -> list[ListedGame]:
    """Return rows of `page` or `EVERY_GAME` as they are shown."""
    return [_listed(row) for row in rows]


def _listed(row: Any) -> ListedGame:
    room, game, stage, at, seat, opponent, opponent_person, is_public, facts = row
    known: dict[str, Any] = loads(facts)
    against = {"name": opponent, "person": opponent_person or None, **known.pop("ai", {})}
    against |= {"bot": True} if known.pop("bot", False) else {}
    fields = {
        "room": room,
        "game": game,
        "state": STATES[stage],
        "at": at,
        "seat": seat,
        "opponent": {name: value for name, value in against.items() if value is not None},
        "public": bool(is_public),
        **known,
    }
    if (outcome := known.get("outcome")) is not None:
        fields["result"] = _result(Mark(seat), outcome["winner"], outcome["reason"])
    return ListedGame(Cursor(stage, at, room, game), fields)


def _result(seat: Mark, winner: str | None, reason: str) -> str:
    if winner is not None:
        return "won" if winner == seat else "lost"
    return "none" if reason in {"abandonment", "void"} else "drawn"
