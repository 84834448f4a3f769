"""A server of several processes whose rooms are in memory, as no operator can have it.

Started with options, it is the parent; as a child it has only its descriptor.
"""

import sys
from typing import Final

from ttt_server.cli.process import main as serve_as_child
from ttt_server.cli.process import supervise
from ttt_server.cli.serve import carry_out, prepare
from ttt_server.config.options import load
from ttt_server.storage.memory import MemoryStore

MODULE: Final = "tests.bench.many.supervised"

UNUSED: Final = ("--store", "postgresql://nobody@127.0.0.1:1/none")
"""The options want a store that several can share; nobody connects to it."""


def main(arguments: list[str]) -> int:
    if not arguments[0].startswith("--"):
        return serve_as_child(MemoryStore())
    flags = {
        name.removeprefix("--").replace("-", "_"): value
        for name, value in zip(arguments[::2], arguments[1::2], strict=True)
    }
    config = load(flags, None)
    prepare(config)
    return carry_out(supervise(config, (sys.executable, "-m", MODULE)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
