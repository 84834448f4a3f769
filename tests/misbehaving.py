"""A package of strategies that misbehave, each in its own way, installed in a folder."""

from pathlib import Path

_CODE = '''
import ctypes, os, signal, sys, time
from ttt_engine.strategies import Thought


class Base:
    name = "base"

    def plays(self, rules):
        return True

    def think(self, position):
        return Thought((self.cell(position),), self.reason())

    def cell(self, position):
        return position.legal_moves[0]

    def reason(self):
        return "first"


class Behaved(Base):
    about = "Takes the first \\x1b[31mcell."


class Levelled(Base):
    levels = True

    def __init__(self, level=4):
        self.level = level


class Curious(Base):
    """Behaves too, and wants to know the moves."""

    def reason(self):
        return "not told"

    def think_after(self, position, moves):
        return Thought((self.cell(position),), "after " + ", ".join(map(str, moves)))


class BadLevel(Base):
    level = 99


class Talkative(Base):
    def think(self, position):
        print('{"number": 1, "cells": [8], "reason": "what it prints is no answer"}', flush=True)
        os.write(1, b'{"number": 1, "cells": [8], "reason": "nor this"}\\n')
        sys.stderr.write("nor this")
        return super().think(position)

    def reason(self):
        return "as \\x1b[31mit\\n likes \\ud800" + "x" * 100_000_000


class Wordless(Base):
    def reason(self):
        return "\\u200b \\x1b[2J"


class Raises(Base):
    def cell(self, position):
        raise RuntimeError("\\x1b[2J no idea " * 1000)


class Ends(Base):
    def cell(self, position):
        raise KeyboardInterrupt


class Taken(Base):
    def cell(self, position):
        return (position.x | position.o).bit_length() - 1 if position.ply else -1


class Outside(Base):
    def cell(self, position):
        return 999


class Truth(Base):
    def cell(self, position):
        return True


class Word(Base):
    def cell(self, position):
        return "b2"


class Nothing(Base):
    def think(self, position):
        return None


class Many(Base):
    def think(self, position):
        thought = super().think(position)

        def cells():
            while True:
                yield -1

        object.__setattr__(thought, "cells", cells())
        return thought


class Unthought(Base):
    def think(self, position):
        return Thought((), "empty")


class Endless(Base):
    def cell(self, position):
        while True:
            pass


class Deaf(Base):
    def cell(self, position):
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1)


class Hungry(Base):
    def cell(self, position):
        kept = []
        while True:
            kept.append(bytearray(1 << 24))


class Exits(Base):
    def cell(self, position):
        sys.exit(0)


class Dies(Base):
    def cell(self, position):
        os._exit(1)


class Crashes(Base):
    def cell(self, position):
        ctypes.string_at(0)


class Stops(Base):
    def cell(self, position):
        os.kill(os.getpid(), signal.SIGSTOP)


class Closes(Base):
    def cell(self, position):
        sys.stdin.close()
        sys.stdout.close()
        os.closerange(0, 3)
        return super().cell(position)


class ClosesAll(Base):
    def cell(self, position):
        os.closerange(0, 100)


class Forks(Base):
    """The child comes back from here too; it must not answer for its parent."""

    def cell(self, position):
        os.fork()
        return super().cell(position)

    def reason(self):
        return str(os.getpid())


class Begets(Base):
    """Leaves children, and never answers."""

    def cell(self, position):
        pids = []
        for _ in range(2):
            if pid := os.fork():
                pids.append(pid)
            else:
                while True:
                    time.sleep(1)
        with open(os.environ["PIDS"], "w") as file:
            file.write(f"{os.getpid()} {pids[0]} {pids[1]}\\n")
        while True:
            time.sleep(1)


class Escapes(Base):
    """Leaves a child in a session of its own that holds on to everything."""

    def cell(self, position):
        if not os.fork():
            os.setsid()
            with open(os.environ["PIDS"], "w") as file:
                file.write(f"{os.getpid()}\\n")
            time.sleep(60)
            os._exit(0)
        while True:
            time.sleep(1)


class Unmade(Base):
    def __init__(self):
        raise OSError("no book")


class SlowlyMade(Base):
    def __init__(self):
        time.sleep(3600)


class Unsure(Base):
    def plays(self, rules):
        raise RuntimeError("which board?")


class Undecided(Base):
    def plays(self, rules):
        while True:
            time.sleep(1)


class Unwilling(Base):
    def plays(self, rules):
        return False
'''

_OTHERS = {
    "unimported": "raise SystemExit('not today')",
    "hangs": "import time\nwhile True: time.sleep(1)",
}

NAMES = tuple(
    line.removeprefix("class ").split("(")[0].rstrip(":")
    for line in _CODE.splitlines()
    if line.startswith("class ") and not line.startswith("class Base")
)


def install(folder: Path) -> None:
    """Puts the package where Python finds it if `folder` is on its path.

    The strategies have the names of their classes in lower case; `missing`, `unimported` and
    `hangs` cannot be imported.
    """
    (folder / "misbehaving_strategies.py").write_text(_CODE, encoding="utf-8")
    lines = [f"{name.lower()} = misbehaving_strategies:{name}" for name in NAMES]
    for name, code in _OTHERS.items():
        (folder / f"misbehaving_{name}.py").write_text(code, encoding="utf-8")
        lines.append(f"{name} = misbehaving_{name}:Strategy")
    lines.append("missing = misbehaving_strategies:Missing")
    metadata = folder / "misbehaving-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1\n")
    entries = "\n".join(lines)
    (metadata / "entry_points.txt").write_text(f"[ttt.strategies]\n{entries}\n")
