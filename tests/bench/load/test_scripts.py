from tests.bench.load import scripts
from ttt_engine import Position


def test_a_script_is_a_whole_game() -> None:
    for script in scripts.SCRIPTS:
        position = Position.start()
        boards = [position.board]
        for cell in script.cells:
            assert position.outcome() is None, script
            position = position.play(cell)
            boards.append(position.board)
        assert position.outcome() is not None, script
        assert tuple(boards) == script.boards


def test_neighbours_and_games_differ() -> None:
    assert scripts.script(0, 1) != scripts.script(1, 1)
    assert scripts.script(0, 1) != scripts.script(0, 2)
    assert scripts.script(0, 1) == scripts.script(64, 65)
