import inspect
import pickle
import re

from ttt_engine import exceptions
from ttt_engine.exceptions import (
    EngineError,
    IllegalMove,
    Invalid,
    InvalidRules,
    UnknownStrategy,
)


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    drawn = re.findall(r"^ *[│├└─ ]*([A-Z]\w+)(?= |$)", exceptions.__doc__ or "", re.MULTILINE)
    tree = drawn[drawn.index("EngineError") :]
    defined = [
        name
        for name, thing in vars(exceptions).items()
        if inspect.isclass(thing) and issubclass(thing, EngineError)
    ]
    assert sorted(tree) == sorted(defined)


def test_invalid_and_illegal_are_two_branches() -> None:
    assert issubclass(Invalid, ValueError)
    assert not issubclass(IllegalMove, Invalid)
    assert issubclass(InvalidRules, Invalid)


def test_an_unknown_strategy_says_which_exist() -> None:
    error = UnknownStrategy("deep", ["minimax", "random"])
    assert str(error) == "no strategy 'deep'; there are: minimax, random"
    assert error.names == ("minimax", "random")


def test_an_unknown_strategy_survives_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(UnknownStrategy("deep", ["a"])))  # noqa: S301 - pickled here
    assert (error.name, error.names, str(error)) == (
        "deep",
        ("a",),
        "no strategy 'deep'; there are: a",
    )
