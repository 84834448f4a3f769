"""The programs about `search` run. How fast or strong it is, they tell by hand."""

from itertools import count
from pathlib import Path
from zlib import decompress

import pytest

from tests.bench import (
    deadline,
    draw_positions,
    earlier,
    fit_judgement,
    forced_wins,
    keeping,
    make_book,
    match,
)
from ttt_engine import Mark
from ttt_engine.gravity.learnt import PARTS, places_of


def test_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    deadline.main(["--levels", "0", "--sizes", "3"])
    assert "late by more than a fifth: " in capsys.readouterr().out


def test_keeping(capsys: pytest.CaptureFixture[str]) -> None:
    keeping.main(["--positions", "1", "--seconds", "0.01"])
    printed = capsys.readouterr().out
    assert printed.startswith("bitbully is not installed") or "kept: " in printed


def test_keeping_of_positions_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    keeping.main(["--positions", "3", "--seconds", "0.01", "--all"])
    printed = capsys.readouterr().out
    assert printed.startswith("bitbully is not installed") or "kept: " in printed


def test_a_judgement_is_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    positions, weights = tmp_path / "positions.txt", tmp_path / "weights.bin"
    for seed in count(1):  # a busy machine draws few in the time
        draw_positions.main([str(positions), "--seconds", "0.3", "--seed", str(seed)])
        if capsys.readouterr().out.startswith("bitbully is not installed"):
            return
        if len(positions.read_text().splitlines()) > 20:
            break
    fit_judgement.main([str(positions), "--rounds", "4", "--check", "5", "--out", str(weights)])
    raw = decompress(weights.read_bytes())
    assert len(raw) == 4 + sum(part.contents for part in PARTS)
    assert any(raw[4:])


def test_a_book_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.bin"
    make_book.main(["3", "--out", str(book)])  # it looks every position up
    if not capsys.readouterr().out.startswith("bitbully is not installed"):
        assert len(book.read_bytes()) > 4


def test_a_table_gives_what_was_put_in() -> None:
    values = {key * key: key % 3 - 1 for key in range(500)}
    table, seed = make_book.make(values)
    assert len(table) < 200
    for key, value in values.items():
        places = places_of(key, seed, len(table) * 4 // 3)
        codes = [table[place >> 2] >> 2 * (place & 3) & 3 for place in places]
        assert codes[0] ^ codes[1] ^ codes[2] == {0: 0, 1: 1, -1: 2}[value]


def test_match(capsys: pytest.CaptureFixture[str]) -> None:
    match.main(["3x3x3", "--games", "1", "--seconds", "0.01"])
    printed = capsys.readouterr().out
    assert printed.startswith("pyspiel is not installed") or "3x3x3: " in printed


def test_earlier() -> None:
    opening = [earlier.RULES.parse_cell(name) for name in ("h8", "a1", "i8", "o1", "j8", "a15")]
    player = earlier.Player(earlier.HERE, 0.05)
    winner, played = earlier.play(opening, {Mark.X: player, Mark.O: player})
    player.close()
    assert (winner, len(played)) == (Mark.X, 3)


def test_forced_wins(capsys: pytest.CaptureFixture[str]) -> None:
    forced_wins.main(["--most", "1", "--seconds", "5"])
    assert "solved: " in capsys.readouterr().out


def test_forced_wins_of_the_set_are_proven_and_checked() -> None:
    shortest = sorted(forced_wins.forced_wins())[:6]
    assert len(forced_wins.forced_wins()) >= 50
    for _, moves in shortest:
        forced_wins.check(moves)
