"""A process that thinks for an AI seat: a question a line on standard input, an answer a line back.

It is killed when it thinks for too long, so nothing here watches the time. See `ai.Worker`.
"""

import json
import os
import sys

from ttt_engine import Position, Rules
from ttt_engine.strategies import Strategy, make


def main() -> None:
    # What a strategy prints must not look like an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    strategies: dict[tuple[str, int | None], Strategy] = {}
    for line in sys.stdin:
        print(_answer(json.loads(line), strategies), file=answers, flush=True)


def _answer(
    question: dict[str, str | int | None], strategies: dict[tuple[str, int | None], Strategy]
) -> str:
    name, level = str(question["strategy"]), question["level"]
    key = name, None if level is None else int(level)
    try:
        if key not in strategies:
            strategies[key] = make(*key)
        position = Position.parse(str(question["board"]), Rules.parse(str(question["rules"])))
        thought = strategies[key].think(position)
        return json.dumps({"cells": list(thought.cells), "reason": str(thought.reason)})
    except Exception as error:  # noqa: BLE001 - a strategy may be anybody's code, and fail in any way
        return json.dumps({"error": type(error).__name__})


if __name__ == "__main__":
    main()
