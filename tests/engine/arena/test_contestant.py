import pytest

from tests.engine.installed import install
from ttt_engine import (
    TIC_TAC_TOE,
    BrokenStrategy,
    CannotPlay,
    InvalidLevel,
    Position,
    Rules,
    UnknownStrategy,
)
from ttt_engine.arena.contestant import Contestant, everyone
from ttt_engine.strategies import Minimax, Thought


class First:
    name = "first"

    def plays(self, rules: Rules) -> bool:
        return rules.cells <= 42

    def think(self, position: Position) -> Thought:
        return Thought(position.legal_moves[:1], "first")


class Undecided(First):
    def plays(self, rules: Rules) -> bool:
        raise KeyError(rules)


@pytest.mark.parametrize("text", ["rules", "minimax:0", "minimax:9", "no such"])
def test_there_and_back(text: str) -> None:
    assert str(Contestant.parse(text)) == text


@pytest.mark.parametrize("level", ["", "10", "-1", "x", "05", "5:5", "٣", " 5", "5.0"])
def test_no_level(level: str) -> None:
    with pytest.raises(InvalidLevel, match=r"^minimax:.*: a level is 0 to 9$"):
        Contestant.parse(f"minimax:{level}")


def test_the_level_is_the_strategy_s() -> None:
    made = Contestant.parse("minimax:3").make(TIC_TAC_TOE)
    assert isinstance(made, Minimax)
    assert made.level == 3
    assert Contestant.parse("rules:3").make(TIC_TAC_TOE).name == "rules"  # it has none


def test_who_cannot_enter() -> None:
    with pytest.raises(UnknownStrategy, match=r"there are: .*minimax"):
        Contestant("zap").make(TIC_TAC_TOE)
    with pytest.raises(CannotPlay, match="rules does not play 4x4x4"):
        Contestant("rules").make(Rules(4, 4, 4))


def test_everyone_who_plays_the_board() -> None:
    small, large = everyone(TIC_TAC_TOE)[0], everyone(Rules(7, 6, 4, gravity=True))[0]
    ours = {"brute", "lines", "minimax", "perfect", "random", "rules", "search:0"}
    assert ours <= set(map(str, small))
    assert {"minimax", "random", "search:0"} <= set(map(str, large))
    assert not {"brute", "lines", "perfect", "rules"} & set(map(str, large))
    assert list(small) == sorted(small, key=str)


def test_everyone_is_a_user_s_too(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, first=First, undecided=Undecided, number=7)
    found, broken = everyone(TIC_TAC_TOE)
    assert Contestant("first") in found
    assert Contestant("first") not in everyone(Rules(9, 9, 5))[0]
    assert [str(error).partition(":")[0] for error in broken] == [
        "strategy 'number' cannot be made",
        "strategy 'undecided' cannot say where it plays",
    ]
    with pytest.raises(BrokenStrategy):
        Contestant("undecided").make(TIC_TAC_TOE)
