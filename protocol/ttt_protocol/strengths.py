"""The strength of AIs on a board, measured in games against each other.

The one table of server, client and page. The page has its rows again in `js/model/strength.js`, as
a test holds it to. docs/strategies.md tells how it was made.

Source: `ttt-server arena`, seed 0, sides changing after each game. On 3x3x3 with 60 games a pair:
`random guard rules minimax:1 minimax:3 minimax:5 minimax:7 minimax:9 lines learner perfect search:0
brute`. On the other boards with 40 games a pair, of `random lines search:0 search:4 search:6
search:9` as far as they play there. Perfect means that a strategy cannot lose there, by its search
to the end of the game.

On variants with 40 games a pair, of `random guard rules minimax:3 minimax:5 mcts:0 mcts:2 mcts:4
perfect` as far as they play there; on `ultimate`, the cubes and larger boards with 20, of `guard
rules mcts:0 mcts:4 mcts:6 search:0 search:6`. There the grades are those of 3x3x3.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from ttt_protocol.notation import board_name
from ttt_protocol.state import AiSetting, Rules


class Strength(StrEnum):
    """How well an AI plays on a board, weakest first."""

    BEGINNER = "beginner"
    FAIR = "fair"
    STRONG = "strong"
    PERFECT = "perfect"


class RatedAi(NamedTuple):
    """An AI as it is typed, with its strength on a board; None if not measured."""

    ai: str
    strength: Strength | None


class _Grades(NamedTuple):
    """The AIs of each strength, in the order of `Strength`; the first of each is taken."""

    beginner: tuple[str, ...] = ()
    fair: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()
    perfect: tuple[str, ...] = ()


_ON_3X3 = _Grades(
    beginner=("minimax:3",),
    fair=("guard", "minimax:5", "learner", "brute"),
    strong=("rules", "minimax:7", "lines"),
    perfect=("perfect", "minimax:9", "search:9"),
)
"""Graded by points against all others: up to 25 %, up to 55 %, more, and never a loss."""

_ON_4X4 = _Grades(fair=("lines",), strong=("search:0",), perfect=("search:9",))
"""`lines` lost 13 of 40 games against `search:0`. Only what plays at random is weaker."""

_WITH_GRAVITY = _Grades(beginner=("search:0",), fair=("search:4",), strong=("search:9",))
_ON_7X6_WITH_GRAVITY = _WITH_GRAVITY._replace(perfect=("exact",))
"""`exact` needs the extra `solver` of the server. It has the value of every position."""

_LARGE = _Grades(beginner=("lines",), fair=("search:0",), strong=("search:6", "search:9"))
"""The strengths on all other boards: from 5x5 to 19x19 they are the same."""

_SOLVED = _Grades(("minimax:3",), ("guard",), ("mcts:4",), ("perfect",))
"""`guard` loses nothing in one move, and is beaten by whoever looks further."""

_OTHER_VARIANTS = _Grades(beginner=("guard",), fair=("mcts:0",), strong=("mcts:6", "mcts:9"))
_ULTIMATE = _Grades(
    beginner=("guard", "rules"),
    fair=("mcts:0", "mcts:4"),
    strong=("search:6", "mcts:6", "mcts:9", "search:9"),
)
_TORUS = _ULTIMATE._replace(beginner=("guard", "mcts:0"), fair=("mcts:4", "rules"))
_CUBE_OF_3 = _Grades(
    beginner=("mcts:0",),
    fair=("guard",),
    strong=("search:6", "mcts:6", "rules", "mcts:9", "search:9"),
)
_CUBE_OF_4 = _Grades(
    beginner=("mcts:0", "guard"),
    fair=("mcts:4", "mcts:6"),
    strong=("search:6", "rules", "search:9"),
)
"""`mcts:0` misses one block of four there. On each other board a fair AI blocks a line in one."""

_CONNECT6 = _Grades(("mcts:0",), ("guard",), ("search:6", "rules", "search:9"))
"""`mcts` has too few playouts on 361 cells."""

_SOLVED_LATE = _SOLVED._replace(beginner=("guard",), fair=("mcts:0",))

_VARIANTS: Final[dict[str, _Grades]] = {
    "misere:3x3x3": _SOLVED._replace(fair=("mcts:0",)),
    "torus:3x3x3": _SOLVED,
    "notakto:3x3x3": _SOLVED,
    "notakto:4x4x4": _SOLVED_LATE,
    "vanishing:3x3x3": _SOLVED_LATE,
    "cube:3": _CUBE_OF_3,
    "cube:4": _CUBE_OF_4,
    "ultimate": _ULTIMATE,
    "connect6": _CONNECT6,
}
"""On all other boards of variants, also of plug-ins, the strengths are `_OTHER_VARIANTS`."""

_MOST_CELLS = {"minimax": 9, "brute": 12}
"""While more cells are free, `minimax` plays at random; on larger boards `brute` does not play."""


def rated(rules: Rules, names: tuple[str, ...]) -> list[RatedAi]:
    """Return the AIs for a board, the weakest first, of those strategies that the server has.

    Strategies that were not measured there come last; those that do not play there, or only at
    random until nine cells are left, do not come at all.
    """
    found = [
        RatedAi(ai, strength)
        for strength, ais in zip(Strength, _table(rules), strict=True)
        for ai in ais
        if ai.partition(":")[0] in names
    ]
    rest = [name for name in names if is_fit(name, rules)]
    named = {one.ai.partition(":")[0] for one in found}
    return found + [RatedAi(name, None) for name in rest if name not in named]


def ai_of(strength: Strength, rules: Rules) -> AiSetting:
    """Return an AI of that strength on a board, or the nearest.

    A server may lack it, as it lacks `exact` without its solver; it then refuses such a seat.
    """
    table = _table(rules)
    nearest = table.fair if strength is Strength.BEGINNER else table.strong[-1:]
    ai, *_ = getattr(table, strength) or nearest
    name, _, level = ai.partition(":")
    return AiSetting(strategy=name, level=int(level)) if level else AiSetting(strategy=name)


def is_fit(strategy: str, rules: Rules) -> bool:
    """Return whether a strategy of the server plays on such a board, and not at random for long.

    True of strategies of other packages, which the server decides on.
    """
    if rules.variant is not None:
        return _fits_variant(strategy, rules)
    cells = rules.columns * rules.rows
    is_square_of_3 = (rules.columns, rules.rows) == (3, 3)
    match strategy:
        case "rules" | "learner" | "perfect":
            return is_square_of_3 and not rules.gravity
        case "exact":
            return (rules.columns, rules.rows, rules.in_a_row, rules.gravity) == (7, 6, 4, True)
        case "lines":
            return not rules.gravity
        case "minimax" | "brute":
            return cells <= _MOST_CELLS[strategy]
        case _:
            return True


_PLAIN_ONLY: Final = frozenset({"brute", "exact", "learner", "lines"})
_SEARCHED: Final = frozenset({"connect6", "cube", "torus", "ultimate"})
_MINIMAX: Final = frozenset({"connect6", "cube", "misere", "notakto", "torus", "ultimate"})
_SMALL_NOTAKTO: Final = 16
"""The most cells of a board on which notakto is solved."""


def _fits_variant(strategy: str, rules: Rules) -> bool:
    cells = rules.columns * rules.rows
    match strategy:
        case "minimax":
            return rules.variant in _MINIMAX and cells <= _MOST_CELLS["minimax"]
        case "search":
            return rules.variant in _SEARCHED
        case "perfect" if rules.variant == "notakto":
            return cells <= _SMALL_NOTAKTO
        case "perfect":
            return board_name(rules) in {"misere:3x3x3", "torus:3x3x3", "vanishing:3x3x3"}
        case _:
            return strategy not in _PLAIN_ONLY


def _table(rules: Rules) -> _Grades:
    if rules.variant is not None:
        other = _TORUS if rules.variant == "torus" else _OTHER_VARIANTS
        return _VARIANTS.get(board_name(rules), other)
    board = (rules.columns, rules.rows, rules.in_a_row)
    if rules.gravity:
        return _ON_7X6_WITH_GRAVITY if board == (7, 6, 4) else _WITH_GRAVITY
    return {(3, 3, 3): _ON_3X3, (4, 4, 4): _ON_4X4}.get(board, _LARGE)
