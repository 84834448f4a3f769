"""Packages with variants, as far as the engine sees them."""

import sys
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ttt_engine import variant

EXAMPLE = Path(__file__).parents[2] / "example_variant"


def install(monkeypatch: pytest.MonkeyPatch, **variants: Any) -> None:
    """For the length of a test, a package offers these variants beside our own."""
    package = ModuleType("user_variants")
    vars(package).update(variants)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    found = {
        name: metadata.EntryPoint(name, f"user_variants:{name}", variant.GROUP) for name in variants
    }
    monkeypatch.setattr(variant, "_plugins", lambda: found)
    variant.variant_of.cache_clear()
    variant.lines_in.cache_clear()


def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install the example of docs/variants.md; return its module."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    module = import_module("ttt_chaos")
    install(monkeypatch, chaos=module.Chaos)
    return module


def put(folder: Path) -> None:
    """Put the example into a folder as pip would, for another process."""
    (folder / "ttt_chaos.py").write_text((EXAMPLE / "ttt_chaos.py").read_text())
    about = folder / "ttt_chaos-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ttt-chaos\nVersion: 1.0\n")
    entry = "[ttt_rooms.variants]\nchaos = ttt_chaos:Chaos\n"
    (about / "entry_points.txt").write_text(entry)
