"""The page's own small engine for lessons and puzzles agrees with the engine."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ttt_engine import Position, Rules
from ttt_engine.puzzles import BOARDS, Kind, make_set
from ttt_engine.tracing.node_counts import node_counts
from ttt_server.core.room import wire_rules

pytestmark = pytest.mark.heavy

MODEL = Path(__file__).parents[2] / "server/ttt_server/web/js/model"
TREES = """
import { outcomeOf } from "./learn/three.js";
import { skipped, treeOf, valued } from "./learn/tree.js";
const told = (board) => {
  const [plain, cut] = [false, true].map((hasCuts) => treeOf(board, hasCuts));
  const counts = [valued(plain).length, valued(cut).length, skipped(plain).length];
  return [outcomeOf(board)?.line ?? null, plain.value, cut.value, ...counts];
};
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(told)));
"""
ANSWERS = """
import { answerTo, withMark } from "./learn/refute.js";
const told = ({ board, rules, turn, cell }) => answerTo(withMark(board, cell, turn), rules, turn);
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(told)));
"""
TASKS = """
import { neighbours, readDone, tasksDoneBy } from "./learn/tasks.js";
import { LESSONS, lessonOf } from "./lessons.js";
const happenings = JSON.parse(process.argv[1]);
const done = LESSONS.map((lesson) => happenings.map((each) => tasksDoneBy(lesson, each)));
const kept = [readDone(null), readDone("20")];
const ends = ["rules", "ultimate"].map(neighbours);
const about = ["brute", "guard"].map(lessonOf);
console.log(JSON.stringify({ LESSONS, done, kept, ends, about }));
"""
ULTIMATE = """
import { after, answersTo, gameOf, POSED } from "./learn/ultimate.js";
const endOf = (outcome) => outcome && [outcome.winner, outcome.line];
const told = ({ boards, legal, outcome }) => [boards, legal, endOf(outcome)];
const replay = (moves) => {
  const games = [gameOf("")];
  for (const cell of moves) games.push(after(games.at(-1), cell));
  return games.map(told);
};
const posed = POSED.map((each, task) => ({ ...each, answers: answersTo(task) }));
console.log(JSON.stringify({ games: JSON.parse(process.argv[1]).map(replay), posed }));
"""
HAPPENINGS = [
    {"type": "guessed", "inARow": 1},
    {"type": "guessed", "inARow": 2},
    {"type": "answered", "reason": "block", "cells": [2], "positions": 400},
    {"type": "answered", "reason": "open lines", "cells": [0, 2, 6], "positions": 99},
    {"type": "answered", "reason": "avoid a loss", "cells": [1], "positions": None},
    {"type": "ended", "winner": "X"},
    {"type": "ended", "winner": None},
    {"type": "foretold", "inARow": 3},
    {"type": "valued", "positions": 11, "skipped": 0},
    {"type": "valued", "positions": 8, "skipped": 2},
    {"type": "judged", "wrong": ["rules"]},
    {"type": "judged", "wrong": ["brute", "random"]},
    {"type": "judged", "wrong": ["brute", "guard", "random", "rules"]},
    {"type": "solved", "task": 1},
]
DONE = {
    "rules": {1: [0], 2: [1], 5: [2]},
    "counts": {1: [0], 3: [1], 5: [2]},
    "lines": {1: [0], 3: [1], 5: [2]},
    "ahead": {7: [0], 8: [1], 9: [2]},
    "memory": {4: [1], 5: [0], 6: [2]},
    "strength": {10: [0], 11: [1], 12: [0, 2]},
    "ultimate": {13: [1]},
}


def run(program: str, given: object, folder: Path) -> Any:
    """What a program prints that imports modules of the page's model."""
    shutil.copytree(MODEL, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    node = shutil.which("node")
    assert node is not None
    command = (node, "--input-type=module", "-e", program, json.dumps(given))
    answer = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def all_positions(most_free: int) -> list[Position]:
    seen: dict[Position, None] = {}
    unread = [Position.start()]
    while unread:
        position = unread.pop()
        if position not in seen:
            seen[position] = None
            unread += map(position.play, position.legal_moves)
    return [each for each in seen if 9 - each.ply <= most_free]


def test_a_tree_has_the_positions_and_values_of_the_engine(tmp_path: Path) -> None:
    positions = all_positions(4)
    told = run(TREES, [position.board for position in positions], tmp_path)
    for position, (line, value, again, plain, cut, skipped) in zip(positions, told, strict=True):
        counts, outcome = node_counts(position), position.outcome()
        assert (plain, cut) == (counts.minimax, counts.alpha_beta)
        assert value == again == counts.value
        assert skipped == 0
        assert sorted(line or ()) == list((outcome and outcome.line) or ())


def test_an_answer_spoils_each_move_that_does_not_win_in_two(tmp_path: Path) -> None:
    asked: list[tuple[Position, int, bool]] = []
    boards = [rules for rules in BOARDS[Kind.WIN_IN_TWO] if rules.variant is None]
    for rules in boards:  # of a relative the server is asked
        for puzzle in make_set("answers", [Kind.WIN_IN_TWO], rules, 6):
            position = puzzle.position
            asked += [(position, cell, cell == puzzle.cell) for cell in position.legal_moves]
    given = [
        {
            "board": position.board,
            "rules": dict(zip(FIELDS, _fields_of(position.rules), strict=True)),
            "turn": position.turn,
            "cell": cell,
        }
        for position, cell, _ in asked
    ]
    for (position, cell, wins), answer in zip(asked, run(ANSWERS, given, tmp_path), strict=True):
        assert (answer is None) == wins
        if answer is None:
            continue
        after = position.play(cell).play(answer)
        outcome = after.outcome()
        ends = [after.play(each).outcome() for each in after.legal_moves]
        is_spoiled = not any(end is not None and end.winner is not None for end in ends)
        assert is_spoiled or (outcome is not None and outcome.winner is position.turn.other)


def test_ultimate_is_played_and_its_tasks_are_solved_as_by_the_engine(tmp_path: Path) -> None:
    chance = random.Random(3)
    played: list[list[int]] = []
    for _ in range(30):
        position, moves = Position.start(ULTIMATE_RULES), list[int]()
        while position.legal_moves:
            moves.append(chance.choice(position.legal_moves))
            position = position.play(moves[-1])
        played.append(moves)
    told = run(ULTIMATE, played, tmp_path)
    for moves, game in zip(played, told["games"], strict=True):
        position = Position.start(ULTIMATE_RULES)
        for cell, (boards, legal, outcome) in zip([*moves, None], game, strict=True):
            ended = position.outcome()
            line = ended and ended.line and list(ended.line)
            assert (boards, legal) == (position.boards, list(position.legal_moves))
            assert outcome == (ended and [ended.winner, line or None])
            position = position if cell is None else position.play(cell)

    sends, wins, holds = told["posed"]
    for posed in (sends, wins, holds):
        (cell,) = posed["answers"]
        before, board = _game_of(posed["moves"]), posed["target"]
        rows = range(board // 3 * 3, board // 3 * 3 + 3)
        small = {9 * row + board % 3 * 3 + column for row in rows for column in range(3)}
        after = before.play(cell)
        others = [before.play(each) for each in before.legal_moves if each != cell]
        if posed is sends:
            assert set(after.legal_moves) == small
            assert all(set(each.legal_moves) != small for each in others)
        elif posed is wins:
            assert set(before.legal_moves) < small
            assert (after.boards or "")[board] == "X"
            assert all(each.boards == before.boards for each in others)
        else:
            assert not _winning(after)
            assert all(_winning(each) and set(_winning(each)) <= small for each in others)
            sent = [len(each.legal_moves) <= 9 for each in others]
            assert any(sent)
            assert not all(sent)  # the free choice


ULTIMATE_RULES = Rules(9, 9, 3, variant="ultimate")


def _game_of(moves: str) -> Position:
    position = Position.start(ULTIMATE_RULES)
    for name in re.findall("..", moves):
        cells = [each for each in position.legal_moves if position.rules.cell_name(each) == name]
        position = position.play(*cells)
    return position


def _winning(position: Position) -> list[int]:
    ends = [(cell, position.play(cell).outcome()) for cell in position.legal_moves]
    return [cell for cell, end in ends if end is not None and end.winner is not None]


FIELDS = "columns", "rows", "in_a_row", "gravity"


def _fields_of(rules: Rules) -> tuple[object, ...]:
    wire = wire_rules(rules)
    return wire.columns, wire.rows, wire.in_a_row, wire.gravity


def test_a_task_is_done_by_what_it_asks_for(tmp_path: Path) -> None:
    told = run(TASKS, HAPPENINGS, tmp_path)
    for lesson, done in zip(told["LESSONS"], told["done"], strict=True):
        assert {index: tasks for index, tasks in enumerate(done) if tasks} == DONE[lesson]
    assert told["kept"] == [[], [0, 2]]
    first, last = told["ends"]
    assert first == {"before": None, "next": "counts"}
    assert last == {"before": "strength", "next": None}
    assert told["about"] == ["counts", "strength"]
