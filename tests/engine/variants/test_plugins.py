"""A variant of a package of a user's, and what the engine makes of a bad one."""

import pickle
import re
import time
from collections.abc import Callable
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.engine.variants.plugins import EXAMPLE, example, install, put
from ttt_engine import (
    BrokenVariant,
    CellTaken,
    GameOver,
    InvalidPosition,
    InvalidRules,
    Mark,
    OtherBoard,
    OutOfBoard,
    Position,
    Rules,
    foreign,
    variant,
)
from ttt_engine.foreign import limit_by
from ttt_engine.strategies import make
from ttt_engine.symmetry import symmetries
from ttt_engine.variant import names, package_of
from ttt_server.cli.variant import breaches, run
from ttt_server.concurrency.call_limit import CallLimit

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
MOST_LINES = 80


def test_the_page_shows_the_example_and_is_short() -> None:
    files = [(EXAMPLE / name).read_text() for name in ("pyproject.toml", "ttt_chaos.py")]
    assert all(file in PAGE for file in files)
    assert sum(len(file.splitlines()) for file in files) <= MOST_LINES


def test_it_is_a_game_like_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    example(monkeypatch)
    assert "chaos" in names()
    assert package_of("chaos") is None
    assert package_of("ultimate") is None
    rules = Rules.parse("chaos")
    assert (str(rules), rules.columns, rules.in_a_row) == ("chaos", 5, 4)
    assert str(Rules.parse("chaos:small")) == str(Rules.parse("chaos:4x4x4")) == "chaos:small"
    assert len(symmetries(rules)) == 1
    random, position = Random(1), Position.start(rules)
    assert Position.parse(position.board, rules) == position
    while position.outcome() is None:
        assert position.legal is None
        assert make("random").think(position).cells == position.legal_moves
        assert pickle.loads(pickle.dumps(position)) == position  # noqa: S301 - pickled here
        assert position.x.bit_count() + position.o.bit_count() == position.ply
        position = position.play(random.choice(position.legal_moves))
    with pytest.raises(GameOver):
        position.play(0)


def test_illegal_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    example(monkeypatch)
    position = Position.start(Rules.parse("chaos")).play(0)
    with pytest.raises(OutOfBoard):
        position.play(25)
    with pytest.raises(CellTaken):
        position.play(0)
    assert position.turn is Mark.O


@pytest.mark.heavy
def test_there_is_nothing_wrong_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example(monkeypatch)
    monkeypatch.setattr("ttt_server.cli.variant.MOST_TIME_S", 600)
    assert run(["check", "chaos"]) == 0
    assert "2000 games, nothing wrong" in "".join(capsys.readouterr())
    assert run(["check", "chess"]) == 2


def spoilt(module: Any, **changes: Any) -> Any:
    """The example with a position that does something else."""

    class Spoilt(module.ChaosPosition):  # type: ignore[misc]
        def play(self, cell: int) -> Any:
            after = super().play(cell)
            return Spoilt(after.rules, after.x, after.o)

    for name, value in changes.items():
        setattr(Spoilt, name, value)

    class Variant(module.Chaos):  # type: ignore[misc]
        def start(self, rules: Rules) -> Any:
            return Spoilt(rules)

    Spoilt.__qualname__ = "Spoilt"
    return Variant


def _raises(*_: Any) -> Any:
    raise RuntimeError("oh no")


def _interrupts(*_: Any) -> Any:
    raise KeyboardInterrupt


def _hangs(*_: Any) -> Any:
    while True:
        pass


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("raises", {"play": _raises}, "play fails: RuntimeError"),
    ("interrupts", {"play": _interrupts}, "play fails: KeyboardInterrupt"),
    ("hangs", {"play": _hangs}, "play takes too long"),
    ("sleeps", {"play": lambda *_: time.sleep(0.3)}, "play takes too long"),
    ("no position", {"play": lambda *_: 4}, "it gave int, not a Position"),
    ("unordered", {"legal_moves": property(lambda _: (3, 1))}, "not ascending"),
    ("taken", {"legal_moves": property(lambda _: tuple(range(25)))}, "is taken or off the board"),
    ("off the board", {"legal_moves": property(lambda _: (90,))}, "is taken or off the board"),
    ("no tuple", {"legal_moves": property(lambda _: [1])}, "not a tuple"),
    ("no letters", {"board": property(lambda _: "?" * 25)}, "25 letters"),
    ("no turn", {"turn": property(lambda _: "X")}, "turn is no Mark"),
    ("wrong ply", {"ply": property(lambda _: 7)}, "ply is 7 after"),
    ("no outcome", {"outcome": lambda _: "won"}, "outcome is no Outcome"),
    ("no moves", {"legal_moves": property(lambda _: ())}, "legal moves"),
]


@pytest.mark.parametrize(("name", "changes", "words"), BAD, ids=[each[0] for each in BAD])
def test_what_a_bad_one_does_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, changes: dict[str, Any], words: str
) -> None:
    module = example(monkeypatch)
    monkeypatch.setattr(foreign, "_limits", [CallLimit(0.2 if "too long" in words else 20)])
    install(monkeypatch, chaos=spoilt(module, **changes))
    with pytest.raises(BrokenVariant, match=words):
        Position.after((0, 1), Rules.parse("chaos"))
    assert name


def test_an_outcome_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)
    ended = {"outcome": lambda _: "won", "legal_moves": property(lambda _: ())}
    install(monkeypatch, chaos=spoilt(module, **ended))
    with pytest.raises(BrokenVariant, match="outcome is no Outcome"):
        Position.start(Rules.parse("chaos"))


def test_another_cell_may_not_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)
    install(monkeypatch, chaos=spoilt(module, legal_moves=property(lambda _: (24,))))
    position = Position.start(Rules.parse("chaos"))
    assert position.legal == (24,)
    with pytest.raises(OtherBoard):
        position.play(0)


def test_a_package_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, broken=_raises, other=lambda: 4)
    for name in ("broken", "other"):
        with pytest.raises(BrokenVariant, match=name):
            Rules.parse(name)
    with pytest.raises(InvalidRules, match=r"did you mean broken\?"):
        Rules.parse("brokn")


DICE = Random(0)
CHECKED: list[tuple[dict[str, Any], str]] = [
    ({"play": _raises}, "RuntimeError"),
    ({"legal_moves": property(lambda _: (3, 1))}, "legal_moves are not ascending"),
    ({"__eq__": lambda self, other: self is other, "__hash__": lambda _: 1}, "not equal"),
    ({"__hash__": object.__hash__}, "not equal"),
    ({"turn": property(lambda _: DICE.choice((Mark.X, Mark.O)))}, "a clock"),
]


@pytest.mark.parametrize(("changes", "words"), CHECKED)
def test_the_check_names_a_breach(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], words: str
) -> None:
    module = example(monkeypatch)
    install(monkeypatch, chaos=spoilt(module, **changes))
    monkeypatch.setattr("pickle.dumps", lambda value: value)
    monkeypatch.setattr("pickle.loads", lambda value: value)
    found = list(breaches("chaos", lambda done: done < 3))
    assert any(words in breach for breach in found), found


def test_the_check_names_what_a_move_accepts_and_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)

    def careless(self: Any, cell: int) -> Any:
        time.sleep(0.002)
        return module.ChaosPosition(self.rules, self.x | 1 << max(cell, 0), self.o)

    monkeypatch.setattr(module.ChaosPosition, "play", careless)
    found = list(breaches("chaos", lambda done: done < 1))
    assert any("accepts an illegal move" in breach for breach in found)
    assert any("at most 1 ms" in breach for breach in found)


def test_the_check_of_a_large_board_ends_in_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ttt_server.cli.variant.MOST_TIME_S", 0.2)
    assert run(["check", "connect6"]) == 0
    told = re.fullmatch(
        r".*connect6: (\d+) games in 0.2 s, nothing wrong\n", capsys.readouterr().out
    )
    assert told is not None
    assert 1 <= int(told[1]) < 100


def test_a_call_within_a_call_shares_its_limit() -> None:
    limit = CallLimit(5)
    assert limit(lambda: limit(lambda: 4)) == 4
    within: Callable[[], int] = lambda: 4  # noqa: E731 - as a plug-in's call comes
    assert limit(within) == 4


def test_a_board_that_cannot_be_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)
    monkeypatch.setattr(module.Chaos, "why_not", _raises)
    with pytest.raises(BrokenVariant, match="RuntimeError"):
        Rules.parse("chaos")


def test_an_installed_package_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = variant._plugins.__wrapped__()
    monkeypatch.setattr(variant, "_plugins", lambda: found)
    assert found["chaos"].value == "ttt_chaos:Chaos"
    assert package_of("chaos") == "ttt-chaos"


def test_a_limit_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    example(monkeypatch)
    monkeypatch.setattr(foreign, "_limits", [])
    limit_by(CallLimit(20))
    assert Position.start(Rules.parse("chaos")).play(0).ply == 1


def test_a_board_that_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)

    def refuses(*_: Any) -> Any:
        raise InvalidPosition("no such board", "turns")

    monkeypatch.setattr(module.Chaos, "parse", refuses)
    with pytest.raises(InvalidPosition):
        Position.parse("." * 25, Rules.parse("chaos"))


def test_a_package_does_not_take_the_name_of_a_variant_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = [EntryPoint(name, "chaos:Chaos", variant.GROUP) for name in ("torus", "chaos")]
    monkeypatch.setattr(metadata, "entry_points", lambda **_: entries)
    variant._plugins.cache_clear()
    assert list(variant._plugins()) == ["chaos"]
    variant._plugins.cache_clear()
