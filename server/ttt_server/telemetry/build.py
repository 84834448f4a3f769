"""How the server was built: plain Python or compiled.

`hatch_build.py` compiles this module together with the path of a move.
"""

from typing import Final

BUILD: Final = "plain Python" if __file__.endswith(".py") else "compiled"
