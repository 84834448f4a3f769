import doctest
import importlib
import pkgutil

import pytest

import ttt_engine

MODULES = [
    module.name for module in pkgutil.walk_packages(ttt_engine.__path__, prefix="ttt_engine.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for name in MODULES for test in finder.find(importlib.import_module(name), name)]
    assert sum(len(test.examples) for test in tests) >= 6
