import pytest

from ttt_engine import Position
from ttt_engine import Rules as EngineRules
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_protocol.state import BySeat
from ttt_server.ai.evaluations import Evaluations
from ttt_server.ai.runner import AiFailed
from ttt_server.endpoints import studies as module
from ttt_server.endpoints.studies import ExploredPosition, FlawedPosition, explore
from ttt_server.transport.responses import HttpError


class Evaluator:
    async def evaluate(self, position: Position, seconds: float) -> Evaluation:
        if position.rules.cells > 9:
            raise AiFailed("no worker")
        return evaluate(position, seconds, lambda: 0)


async def explored(query: str) -> ExploredPosition:
    found = await explore(query, Evaluations(Evaluator()))
    assert isinstance(found, ExploredPosition)
    return found


async def test_moves_on_the_empty_board() -> None:
    found = await explored("rules=3x3x3&moves=a1b2b1")
    assert (found.board, found.turn, found.moves) == ("XX..O....", "O", (0, 4, 1))
    assert (found.best, found.values["2"], found.values["3"]) == ((2,), 0, -1)
    assert (found.over, found.winner, found.line) == (False, None, None)


async def test_a_board_on_which_a_longer_row_does_not_win() -> None:
    found = await explored("rules=4x3x3!&board=XXX.OO......")
    assert (found.rules.exact, found.over, found.winner) == (True, True, "X")
    found = await explored("rules=4x3x3!&board=XXXXXOOXOOOO")
    assert (found.over, found.winner) == (True, None)


async def test_moves_on_a_board_that_was_set() -> None:
    found = await explored("board=XX..O....&moves=c1")
    assert (found.board, found.moves) == ("XXO.O....", (0, 4, 1, 2))


async def test_a_game_that_is_over() -> None:
    found = await explored("moves=a1a2b1b2c1")
    assert (found.over, found.winner, found.line) == (True, "X", (0, 1, 2))
    assert (found.values, found.legal, found.best) == ({}, (), ())
    assert (await explored("board=XOXXOOOXX")).winner is None


@pytest.mark.parametrize(
    ("board", "flaw"),
    [
        ("X", "size"),
        ("Q........", "letters"),
        ("XX.......", "turns"),
        ("XXXOOO...", "line"),
        ("XXXOO.O..", "line"),
    ],
)
async def test_a_board_on_which_no_game_stands_so(board: str, flaw: str) -> None:
    found = await explore(f"board={board}", Evaluations(Evaluator()))
    assert isinstance(found, FlawedPosition)
    assert found.flaw == flaw


async def test_a_piece_that_hangs_in_the_air() -> None:
    found = await explore("rules=4x4x4g&board=X...............", Evaluations(Evaluator()))
    assert isinstance(found, FlawedPosition)
    assert found.flaw == "floating"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("rules=2x2x2", "2 columns"),
        ("rules=chess", "no variant .chess."),
        ("moves=a1a1", "moves: a1 is taken"),
        ("moves=z9", "write moves as cells"),
        ("moves=d1", "the cells of this board are a1 to c3"),
        ("colour=red", "1 unknown fields"),
    ],
)
async def test_an_invalid_query_is_refused(query: str, words: str) -> None:
    with pytest.raises(HttpError, match=words) as refused:
        await explore(query, Evaluations(Evaluator()))
    assert refused.value.status == 400


async def test_an_evaluation_that_fails_is_a_503() -> None:
    with pytest.raises(HttpError) as refused:
        await explore("rules=4x4x4", Evaluations(Evaluator()))
    assert refused.value.status == 503


@pytest.mark.parametrize("rules", ["misere:3x3x3", "vanishing:3x3x3", "notakto:3x3x3"])
async def test_moves_of_a_variant(rules: str) -> None:
    found = await explored(f"rules={rules}&moves=a1b1")
    assert found.moves == (0, 1)
    assert found.rules.variant == rules.split(":", maxsplit=1)[0]
    assert found.legal


async def test_a_board_of_a_variant_may_be_set() -> None:
    found = await explored("rules=notakto:3x3x3&board=X........")
    assert (found.turn, len(found.legal), found.moves) == ("O", 8, None)
    flawed = await explore("rules=vanishing:3x3x3&board=X........", Evaluations(Evaluator()))
    assert isinstance(flawed, FlawedPosition)
    assert flawed.flaw == "order"


async def test_what_a_variant_shows_beside_its_board() -> None:
    found = await explored("rules=vanishing:3x3x3&moves=b2a1c1a3a2")
    assert found.leaving == BySeat(X=4, O=None)
    assert '"leaving":{"X":4,"O":null}' in found.model_dump_json()
    assert "boards" not in found.model_dump_json()
    won = await explored("rules=cube:3&moves=1a11a22b21a33c3")
    assert (won.winner, won.line) == ("X", (0, 13, 26))
    first = Position.start(EngineRules.parse("ultimate"))
    told = module._explored(first, first.play(40).play(30), (40, 30), None)
    assert (told.boards, len(told.legal)) == (".........", 9)
    stones = Position.start(EngineRules.parse("connect6"))
    assert module._explored(stones, stones.play(180), (180,), None).marks == 2
