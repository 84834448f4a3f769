"""Other programs to measure ours against. None is a dependency: what is not installed is left out.

    pip install open_spiel easyAI bitbully

bitbully is under the AGPL: it judges here, run by hand. The strategy `exact` uses it, too,
where the extra `solver` is installed.
"""

from importlib import import_module
from typing import Any


def peer(module: str) -> Any | None:
    """The module, or None (and a word to who runs this) where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        print(f"{module} is not installed: left out")
        return None
