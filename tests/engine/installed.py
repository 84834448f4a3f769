"""Packages with strategies, as far as the registry sees them."""

import sys
from importlib import metadata
from types import ModuleType
from typing import Any

import pytest

from ttt_engine import strategies as registry


def install(monkeypatch: pytest.MonkeyPatch, **strategies: Any) -> None:
    """For the length of a test, a package offers these beside what is installed."""
    package = ModuleType("user_package")
    vars(package).update(strategies)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    real = metadata.entry_points

    def entry_points(*, group: str) -> metadata.EntryPoints:
        theirs = [metadata.EntryPoint(name, f"user_package:{name}", group) for name in strategies]
        return metadata.EntryPoints([*real(group=group), *theirs])

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    # A cache of this test alone: what other tests have scanned stays as it is.
    monkeypatch.setattr(registry, "_plugins", registry._plugins.__wrapped__)
