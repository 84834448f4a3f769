import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from ttt_engine import (
    BrokenStrategy,
    InvalidLevel,
    InvalidThought,
    Position,
    Rules,
    UnknownStrategy,
)
from ttt_engine import strategies as registry
from ttt_engine.strategies import (
    BruteForce,
    Cost,
    Exact,
    Guard,
    Learner,
    Mcts,
    Minimax,
    OpenLines,
    Perfect,
    Random,
    RuleBased,
    Search,
    Thought,
    cost_of,
    describe,
    is_ours,
    make,
    names,
)


class Last:
    """A user's strategy that says nothing of itself."""

    name = "last"

    def plays(self, rules: Rules) -> bool:
        return rules.cells > 0

    def think(self, position: Position) -> Thought:
        return Thought(position.legal_moves[-1:], "last")


class Levelled(Last):
    name = "levelled"
    levels = True
    parts = ("memory",)
    about = "Remembers."
    boards = "every board"

    def __init__(self, level: int = 3, memory: str = "none") -> None:
        self.level, self.memory = level, memory


class Faulty(Last):
    def __init__(self) -> None:
        raise OSError("no book")


class Exiting(Last):
    def __init__(self) -> None:
        sys.exit("no licence")


class Refusing(Last):
    def __init__(self) -> None:
        raise InvalidThought("not today")


SCANS: list[str] = []
THEIRS = {
    "last": "user_package:Last",
    "levelled": "user_package:Levelled",
    "faulty": "user_package:Faulty",
    "exiting": "user_package:Exiting",
    "refusing": "user_package:Refusing",
    "number": "user_package:NUMBER",
    "nothing": "user_package:Nothing",
    "missing": "no_such_package:Strategy",
    "random": "user_package:Last",
}


@pytest.fixture
def user_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of a user's is installed that adds `THEIRS`, before and after ours."""
    package = ModuleType("user_package")
    vars(package).update(
        Last=Last,
        Levelled=Levelled,
        Faulty=Faulty,
        Exiting=Exiting,
        Refusing=Refusing,
        NUMBER=7,
        Nothing=object,
    )
    monkeypatch.setitem(sys.modules, "user_package", package)
    real = metadata.entry_points

    def entry_points(*, group: str) -> metadata.EntryPoints:
        SCANS.append(group)
        theirs = [metadata.EntryPoint(name, value, group) for name, value in THEIRS.items()]
        again = metadata.EntryPoint("last", "no_such_package:Last", group)
        return metadata.EntryPoints([*theirs, *real(group=group), *theirs, again])

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    registry._plugins.cache_clear()
    SCANS.clear()
    yield
    registry._plugins.cache_clear()


SOURCE = Path(registry.__file__).parents[2]
OURS = {
    "brute": BruteForce,
    "exact": Exact,
    "guard": Guard,
    "learner": Learner,
    "lines": OpenLines,
    "mcts": Mcts,
    "minimax": Minimax,
    "perfect": Perfect,
    "random": Random,
    "rules": RuleBased,
    "search": Search,
}


def test_ours_are_known() -> None:
    assert set(OURS) <= set(names())
    assert list(names()) == sorted(names())


def test_ours_work_from_a_checkout_that_is_not_installed() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "from ttt_engine.strategies import is_ours, make, names\n"
        "from importlib.metadata import distributions\n"
        "assert not list(distributions())\n"
        "print(*(name for name in names() if is_ours(name) and make(name).name == name))"
    )
    # Isolated, and without the folder of installed packages.
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], check=True, capture_output=True, text=True
    )
    assert told.stdout.split() == sorted(OURS)


@pytest.mark.parametrize("name", OURS)
def test_each_has_the_name_it_is_made_by(name: str) -> None:
    made = make(name)
    assert isinstance(made, OURS[name])
    assert made.name == name


def test_levels() -> None:
    by_default, low = make("minimax"), make("minimax", 0)
    assert isinstance(by_default, Minimax)
    assert by_default.level == 9
    assert isinstance(low, Minimax)
    assert low.level == 0
    assert isinstance(make("random", 5), Random)


@pytest.mark.parametrize("name", ["minimax", "random"])
@pytest.mark.parametrize("level", [-1, 10])
def test_no_such_level(name: str, level: int) -> None:
    with pytest.raises(InvalidLevel):
        make(name, level)


def test_unknown() -> None:
    with pytest.raises(
        UnknownStrategy, match=r"no strategy 'deep'; there are: .*minimax"
    ) as caught:
        make("deep")
    assert caught.value.names == names()


def test_each_describes_itself() -> None:
    described = {name: describe(name) for name in OURS}
    assert {name for name in OURS if described[name].levels} == {"mcts", "minimax", "search"}
    for name in OURS:
        assert described[name].about
        assert described[name].boards


@pytest.mark.usefixtures("user_package")
def test_a_user_adds_a_strategy() -> None:
    assert set(THEIRS) | {"minimax", "rules"} <= set(names())
    assert isinstance(make("last"), Last)
    assert isinstance(make("last", 4, memory="old"), Last)  # it asks for neither


@pytest.mark.usefixtures("user_package")
def test_a_user_s_strategy_gets_the_level_and_the_parts_it_asks_for() -> None:
    made = make("levelled", 4, memory="old", clock="new")
    assert isinstance(made, Levelled)
    assert (made.level, made.memory) == (4, "old")
    alone = make("levelled")
    assert isinstance(alone, Levelled)
    assert (alone.level, alone.memory) == (3, "none")


@pytest.mark.usefixtures("user_package")
def test_ours_win_a_clash() -> None:
    assert isinstance(make("random"), Random)


@pytest.mark.usefixtures("user_package")
def test_the_scan_is_lazy_and_done_once() -> None:
    assert SCANS == []
    make("random")
    assert is_ours("random")
    assert SCANS == [], "the engine's own need no scan"
    make("last")
    describe("last")
    assert SCANS == ["ttt.strategies"]


@pytest.mark.usefixtures("user_package")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "'missing' cannot be imported: No module"),
        ("faulty", "'faulty' cannot be made: no book"),
        ("exiting", "'exiting' cannot be made: no licence"),
        ("number", "'number' cannot be made: .*not callable"),
        ("nothing", "'nothing' is not a strategy: it lacks"),
    ],
)
def test_a_broken_strategy_is_told_to_who_asks_for_it(name: str, reason: str) -> None:
    with pytest.raises(BrokenStrategy, match=reason):
        make(name)


@pytest.mark.usefixtures("user_package")
def test_what_a_strategy_refuses_by_our_names_is_passed_on() -> None:
    with pytest.raises(InvalidThought, match="not today"):
        make("refusing")


@pytest.mark.usefixtures("user_package")
def test_a_broken_strategy_spoils_no_other() -> None:
    assert "missing" in names()
    with pytest.raises(BrokenStrategy):
        describe("missing")
    assert describe("levelled") == registry.Description(
        "levelled", levels=True, about="Remembers.", boards="every board"
    )
    assert describe("last") == registry.Description("last", levels=False, about="", boards="")


@pytest.mark.usefixtures("user_package")
def test_whose_it_is() -> None:
    assert is_ours("random")
    assert not is_ours("last")
    assert not is_ours("missing")
    with pytest.raises(UnknownStrategy):
        is_ours("deep")


SMALL, MIDDLE, LARGE = Rules(), Rules(4, 4, 4), Rules(9, 9, 5)


@pytest.mark.parametrize(
    ("name", "rules", "cost"),
    [
        *((name, SMALL, Cost.INSTANT) for name in ("learner", "lines", "minimax", "perfect")),
        *((name, SMALL, Cost.INSTANT) for name in ("guard", "random", "rules")),
        *((name, SMALL, Cost.LONG) for name in ("brute", "mcts", "search")),
        *((name, MIDDLE, Cost.SHORT) for name in ("guard", "lines", "random")),
        *((name, MIDDLE, Cost.LONG) for name in ("brute", "minimax", "search")),
        ("lines", LARGE, Cost.LONG),
        ("random", LARGE, Cost.SHORT),
        ("deep", SMALL, Cost.LONG),
    ],
)
def test_the_cost_of_a_thought(name: str, rules: Rules, cost: Cost) -> None:
    assert cost_of(name, rules) is cost


@pytest.mark.usefixtures("user_package")
def test_a_plug_in_is_not_imported_for_its_cost() -> None:
    assert cost_of("missing", SMALL) is Cost.LONG


def test_a_maker_that_this_process_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", {})
    registry.add("given", RuleBased)
    registry.add("rules", None)
    assert "given" in names()
    assert isinstance(make("given"), RuleBased)
    assert not is_ours("given")
    assert is_ours("rules")
