"""A process that thinks for AI seats: a question a line on standard input, an answer a line back.

It is killed when it thinks for too long; the other side is `pool.Worker`. Here it has a limit of
memory, an alarm should nobody be left to kill it, and streams that a strategy does not find. That
holds against faults, not against malice: the operator has installed the strategy's package.
"""

import json
import os
import resource
import signal
import sys
import time
from dataclasses import asdict
from itertools import islice
from typing import Any, TextIO

from ttt_engine import InvalidThought, Position, Rules
from ttt_engine.evaluation import evaluate
from ttt_engine.strategies import Strategy, Thought, consult, describe, make

_GRACE_S = 5
"""Between the time when it should have been killed, and its end without that."""

_LONGEST_REASON = 200


def main(memory_mb: int, nice: int) -> None:
    """Answers until nobody asks any more."""
    _limit(memory_mb)
    os.nice(nice)
    questions, answers = _streams_of_our_own()
    own = os.getpid()
    for line in questions:
        question = json.loads(line)
        signal.alarm(question["limit_s"] + _GRACE_S)
        answer = _encoded(question)
        signal.alarm(0)
        if os.getpid() != own:
            break  # a strategy has forked, and this is what it left behind
        print(answer, file=answers, flush=True)
    os._exit(0)  # whatever threads and children there are


def _limit(memory_mb: int) -> None:
    memory = memory_mb << 20
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        memory = min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _streams_of_our_own() -> tuple[TextIO, TextIO]:
    """Standard input and output, under numbers where a strategy does not look for them."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    return questions, answers


def _encoded(question: dict[str, Any]) -> str:
    number = {"number": question["number"]}
    try:
        return json.dumps(_answer(question) | number)
    except Exception as error:  # noqa: BLE001 - a strategy may be anybody's, and fail in any way
        return json.dumps({"error": type(error).__name__} | number)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    match question["ask"]:
        case "describe":
            return asdict(describe(question["strategy"]))
        case "plays":
            strategy = make(question["strategy"], question["level"])
            plays = bool(strategy.plays(Rules.parse(question["rules"])))
            return {"plays": plays, "level": getattr(strategy, "level", None)}
        case "judge":
            evaluation = evaluate(_position(question), question["seconds"], time.monotonic)
            return {
                "cells": list(evaluation.best),
                "values": list(evaluation.values.items()),
                "value": evaluation.value,
                "reason": evaluation.reason,
            }
        case _:
            position, moves = _position(question), question["moves"]
            known = None if moves is None else tuple(moves)
            thought: Any = consult(_strategy(question), position, known)
            if not isinstance(thought, Thought):
                raise InvalidThought(f"it answered {type(thought).__name__}, and no Thought")
            return {
                "cells": list(islice(thought.cells, position.rules.cells + 1)),
                "reason": str(thought.reason)[:_LONGEST_REASON],
            }


def _position(question: dict[str, Any]) -> Position:
    return Position.parse(question["board"], Rules.parse(question["rules"]))


def _strategy(question: dict[str, Any]) -> Strategy:
    """The strategy, with its own time for a move, or the game's clock's if that is less."""
    name, level, most_seconds = question["strategy"], question["level"], question["seconds"]
    strategy = make(name, level, clock=time.monotonic)
    own_seconds = getattr(strategy, "seconds", None)
    if most_seconds is None or own_seconds is None or own_seconds <= most_seconds:
        return strategy
    return make(name, level, clock=time.monotonic, seconds=most_seconds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
