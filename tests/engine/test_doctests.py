import doctest
import importlib
import pkgutil

import ttt_engine

MODULES = [
    module.name for module in pkgutil.walk_packages(ttt_engine.__path__, prefix="ttt_engine.")
]


def test_examples_in_docstrings_run() -> None:
    results = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) >= 6
