"""The version of the server, and how it was built: plain Python or compiled.

`hatch_build.py` compiles this module together with the path of a move.
"""

from typing import Final

__version__: Final = "0.2.0"

SERVER: Final = f"ttt-rooms/{__version__}"
"""Name and version, in `welcome`; the `Server` header has the name alone."""

BUILD: Final = "plain Python" if __file__.endswith(".py") else "compiled"
