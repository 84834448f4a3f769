"""Small programs that play, well and badly, as a command each."""

import sys


def scripted(body: str, before: str = "") -> list[str]:
    """Return a program that runs `body` for each turn, with `legal` and `say` at hand."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    code = (
        f"import json, sys, time\n{before}\n"
        "def say(cell, **more): print(json.dumps({'cell': cell, **more}), flush=True)\n"
        f"for line in sys.stdin:\n    message = json.loads(line)\n"
        f"    if message['type'] == 'turn':\n        legal = message['legal']\n{lines}\n"
    )
    return [sys.executable, "-S", "-c", code]


FIRST = scripted("say(legal[0])")

CHOOSES = [
    *("sh", "-c"),
    """while read line; do case $line in *choose*) echo '{"choice":"swap"}';; esac; done""",
]
"""A program that swaps."""
ENGINE = [
    *("sh", "-c"),
    """while read line; do case $line in
    ABOUT) echo name;; START*) echo OK;; DONE) echo 7,7 8,7 9,9;; END) exit;; esac; done""",
]
"""An engine that names three stones."""
