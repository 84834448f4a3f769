from collections import Counter

from ttt_engine.puzzles import Dice


def test_throws_follow_from_the_seed() -> None:
    dice, again, other = Dice("a"), Dice("a"), Dice("b")
    thrown = [dice.one_of(range(1000)) for _ in range(4)]
    assert thrown == [again.one_of(range(1000)) for _ in range(4)] == [368, 578, 158, 898]
    assert thrown != [other.one_of(range(1000)) for _ in range(4)]


def test_each_choice_comes_about_as_often() -> None:
    dice = Dice("many")
    thrown = Counter(dice.one_of("xyz") for _ in range(3000))
    assert min(thrown.values()) > 900
