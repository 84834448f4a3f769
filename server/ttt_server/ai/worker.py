"""The program of a worker process: reads a question a line, writes an answer a line.

`process_pool.Worker` is the other side, and kills a process that thinks for too long. The memory
limit, the alarm for orphans and the hidden streams protect against faults of a strategy, not
against malice: the operator has installed its package.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO

from ttt_engine import InvalidThought, Mark, Rules
from ttt_engine.evaluation import evaluate
from ttt_engine.openings.choose import LOOKED_AT, choose, place, worth_by
from ttt_engine.openings.opening import Choice, Setup
from ttt_engine.puzzles import Kind, Puzzle, daily, make_set
from ttt_engine.search.proof import KeptProofs
from ttt_engine.strategies import Strategy, Thought, add, can_play, consult, describe, make
from ttt_engine.tracing.node_counts import node_counts
from ttt_protocol.bots.failures import BotError
from ttt_server.ai.messages import as_question, encode_answer, position_of

STDERR: Final = 2

_SHARE: Final = Path("/proc/self/autogroup")
_TRIES: Final = 5
_TRY_AGAIN_S: Final = 0.1

_GRACE_S = 5
"""How long after its limit an orphaned process ends."""

_LONGEST_REASON = 200
"""In characters."""

_KEPT: Final = KeptProofs()
"""The proofs of the last search. The next question is often of the same game."""


def main(memory_mb: int, nice: int, programs: str) -> None:
    """Answer questions about strategies until the end of input."""
    if programs:
        _add_programs(programs)
    _limit(memory_mb)
    if nice:
        give_way(nice)
    serve(_answer)


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]], output: int | None = None) -> None:
    """Answer questions until the end of input, then end the process.

    The first line that it writes is empty: now it is ready.

    Args:
        answer: answers a question. The name of an exception is an answer, too.
        output: the file descriptor for what strategies print; `None` to drop it.
    """
    questions, answers = _hide_streams(output)
    own = os.getpid()
    with suppress(BrokenPipeError):  # then there are no questions either
        print(file=answers, flush=True)
    for line in questions:
        question = json.loads(line)
        limit_s = question["limit_s"]
        signal.alarm(0 if limit_s is None else limit_s + _GRACE_S)
        encoded = _encoded(answer, question)
        signal.alarm(0)
        if os.getpid() != own:
            break  # a strategy has forked, and this is the child
        try:
            print(encoded, file=answers, flush=True)
        except BrokenPipeError:
            break  # the asking process has ended
    _end()


def _end() -> None:
    """End this process and its programs, without waiting for threads."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def _add_programs(programs: str) -> None:
    from ttt_server.ai.program import ProgramMaker
    from ttt_server.ai.program_setting import ProgramSetting

    for name, setting in json.loads(programs).items():
        add(name, ProgramMaker(name, ProgramSetting.model_validate(setting)))


def _limit(memory_mb: int) -> None:
    memory = memory_mb << 20
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        memory = min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def give_way(nice: int, share: Path = _SHARE) -> None:
    """Give way to all other processes.

    Linux may schedule sessions before processes. Then niceness counts only within a session, and a
    worker has its own; so the session gives way, too, through `share`, a file of such systems.
    """
    os.nice(nice)
    for _ in range(_TRIES):
        try:
            share.write_text(str(nice))
        except BlockingIOError:  # another session did so less than 0.1 s ago
            time.sleep(_TRY_AGAIN_S)
        except OSError:
            return
        else:
            return


def _hide_streams(output: int | None) -> tuple[TextIO, TextIO]:
    """Move standard input and output to other descriptors, out of reach of strategies."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    for stream in (1, STDERR):
        os.dup2(nowhere if output is None else output, stream)
    return questions, answers


def _encoded(answer: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any]) -> str:
    number = {"number": question["number"]}
    try:
        return encode_answer(answer(question) | number)
    except BotError as error:
        return json.dumps({"error": str(error)} | number)
    except Exception as error:  # noqa: BLE001 - the code of a plug-in may fail in any way
        return json.dumps({"error": type(error).__name__} | number)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    match question["ask"]:
        case "describe":
            return asdict(describe(question["strategy"]))
        case "plays":
            strategy = make(question["strategy"], question["level"])
            plays = bool(can_play(strategy, Rules.parse(question["rules"])))
            return {"plays": plays, "level": getattr(strategy, "level", None)}
        case "open":
            return _opened(question)
        case "evaluate":
            evaluation = evaluate(position_of(question), question["seconds"], time.monotonic)
            return asdict(evaluation) | {"values": list(evaluation.values.items())}
        case "trace" | "compare":
            return _told_steps(question)
        case "puzzles":
            return {"puzzles": [_told(puzzle) for puzzle in _made(question)]}
        case "count":
            return node_counts(position_of(question))._asdict()
        case _:
            position, moves = position_of(question), question["moves"]
            known = None if moves is None else tuple(moves)
            thought: Any = consult(_strategy(question), position, known)
            if not isinstance(thought, Thought):
                raise InvalidThought(f"the answer is of type {type(thought).__name__}, not Thought")
            return {
                "cells": list(islice(thought.cells, position.rules.cells + 1)),
                "reason": str(thought.reason)[:_LONGEST_REASON],
            }


def _made(question: dict[str, Any]) -> tuple[Puzzle, ...]:
    """Make the puzzle of a day, or a set."""
    if (day := question["day"]) is not None:
        return (daily(date.fromisoformat(day)),)
    kinds = [Kind(kind) for kind in question["kinds"]]
    return make_set(question["name"], kinds, Rules.parse(question["rules"]), question["size"])


def _told(puzzle: Puzzle) -> dict[str, Any]:
    answer = {"kind": puzzle.kind, "cell": puzzle.cell, "winner": puzzle.winner}
    return as_question(puzzle.position) | answer


def _told_steps(question: dict[str, Any]) -> dict[str, Any]:
    """Return the trace of a thought, or how methods compare."""
    from ttt_server.ai.told_steps import compared, trace_lines

    # A search counts positions, not time.
    studied = position_of(question), _strategy(question, clock=None)
    if question["ask"] == "compare":
        return compared(*studied, time.perf_counter)
    counts = node_counts(position_of(question)) if question["counts"] else None
    return {"lines": trace_lines(*studied, question["limit"], counts=counts)}


def _opened(question: dict[str, Any]) -> dict[str, Any]:
    """Return the choice in an opening, or the cells for the next mark.

    A program is asked itself, and may name more `marks` in order: see `ProgramStrategy.open_game`.
    """
    position = position_of(question)
    kind, seat, marks, choices = question["setup"]
    setup = Setup(kind, Mark(seat), marks, tuple(map(Choice, choices)))
    strategy = _strategy(question)
    open_game: Any = getattr(strategy, "open_game", None)
    if open_game is not None and (opened := open_game(position, tuple(question["moves"]), setup)):
        return {"choice": opened.choice, "marks": opened.marks}
    if setup.choices:
        return {"choice": choose(position, setup.choices, setup.seat, worth_by(strategy))}
    worth = worth_by(_strategy(question, parts=LOOKED_AT))
    return {"cells": list(place(position, setup.stones, worth)), "reason": "opening"}


def _strategy(
    question: dict[str, Any], parts: int = 1, clock: Callable[[], float] | None = time.monotonic
) -> Strategy:
    """Make the strategy. It takes its own time for a move, or that of the game's clock if less.

    `parts`: the thoughts that share this time.
    """
    name, level, most_seconds = question["strategy"], question["level"], question["seconds"]
    strategy = make(name, level, clock=clock, kept=_KEPT)
    own_seconds = getattr(strategy, "seconds", None)
    if own_seconds is None:
        return strategy
    seconds = own_seconds if most_seconds is None else min(own_seconds, most_seconds)
    if parts == 1 and seconds == own_seconds:
        return strategy
    return make(name, level, clock=clock, seconds=seconds / parts, kept=_KEPT)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
