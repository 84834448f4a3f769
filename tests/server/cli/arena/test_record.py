from pathlib import Path

import pytest

from ttt_engine import Mark
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import Game, PairGame, Times
from ttt_server.cli.arena.record import ArenaRecord, ArenaTerms, BadRecord

PAIR = Contestant("rules"), Contestant("minimax", 5)
TERMS = ArenaTerms("3x3x3", 7, 0)
GAMES = [
    PairGame(0, Game((4, 0), Mark.X, "illegal: cell 4"), Times(2, 0.5, 0.25)),
    PairGame(1, Game((0, 4, 8), None, None, is_swapped=True)),
]


def saved(path: Path) -> None:
    with ArenaRecord(path, TERMS, resumes=False) as record:
        record.add(PAIR, GAMES)


def test_games_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    saved(path)
    with ArenaRecord(path, TERMS, resumes=True) as record:
        assert list(record.games(PAIR).values()) == GAMES
        assert record.has(PAIR, 1)
        assert not record.has(PAIR, 2)
        record.add(PAIR, [GAMES[1]._replace(number=2)])
    assert len(path.read_text().splitlines()) == 4


def test_a_line_that_was_cut_is_dropped_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    saved(path)
    path.write_bytes(path.read_bytes()[:-5])
    with ArenaRecord(path, TERMS, resumes=True) as record:
        assert not record.has(PAIR, 1)
        record.add(PAIR, [GAMES[1]])
    with ArenaRecord(path, TERMS, resumes=True) as record:
        assert list(record.games(PAIR).values()) == GAMES


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    saved(path)
    with pytest.raises(BadRecord, match="give --resume"):
        ArenaRecord(path, TERMS, resumes=False)
    with pytest.raises(BadRecord, match="other rules, seed or opening"):
        ArenaRecord(path, TERMS._replace(seed=8), resumes=True)


@pytest.mark.parametrize("text", ["zap\n", "[]\n", '{"arena":1}\n'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(BadRecord):
        ArenaRecord(path, TERMS, resumes=True)


def test_a_game_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    saved(path)
    path.write_text(path.read_text() + '{"pair":["a"]}\n')
    with pytest.raises(BadRecord, match="is no file of an arena"):
        ArenaRecord(path, TERMS, resumes=True)


def test_an_empty_file_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.touch()
    saved(path)
    assert path.read_text().startswith('{"arena":"ttt/1","rules":"3x3x3"')


def test_without_a_file_games_are_in_memory() -> None:
    with ArenaRecord(None, TERMS, resumes=False) as record:
        record.add(PAIR, GAMES)
        assert set(record.games(PAIR)) == {0, 1}
