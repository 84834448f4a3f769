"""What a program does in the opening of a room, by what its language has words for."""

import pytest

from ttt_engine import Position, Rules
from ttt_engine.openings.opening import Choice as EngineChoice
from ttt_engine.openings.opening import Opening as Course
from ttt_protocol.bots.failures import BotFailed, too_slow
from ttt_protocol.bots.language import Answer, BotTurn
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.state import Mark
from ttt_server.ai.program import OpeningPart, Program, ProgramStrategy, TimedAnswer
from ttt_server.ai.program_setting import ProgramSetting

RULES = Rules(15, 15, 5)
SWAP2 = Course.begin("swap2")


class FakeProgram(Program):
    """Places at the cells of a list, and chooses; it fails where there is nothing left."""

    def __init__(self, *cells: int, choice: Choice | None = None) -> None:
        self.cells = list(cells)
        self.choice = choice
        self.asked: list[BotTurn] = []

    def ask(self, turn: BotTurn) -> TimedAnswer:
        self.asked.append(turn)
        if not self.cells:
            raise too_slow(1, 2)
        return TimedAnswer(Answer(self.cells.pop(0)), 0.1)

    def choose(self, turn: BotTurn) -> Choice:
        self.asked.append(turn)
        if self.choice is None:
            raise too_slow(1, 2)
        return self.choice


def opened(
    program: FakeProgram, course: Course, *moves: int, gomocup: bool = False
) -> OpeningPart | None:
    setting = ProgramSetting(exec="engine", protocol="gomocup" if gomocup else "json", time_s=3)
    strategy = ProgramStrategy("engine", setting, program, 3.0)
    return strategy.open_game(
        Position.after(moves, RULES),
        moves,
        course.setup(len(moves), Position.after(moves, RULES).turn),
    )


@pytest.mark.parametrize("gomocup", [False, True])
def test_the_marks_of_a_stage_are_asked_for_as_parts_of_one_game(gomocup: bool) -> None:
    program = FakeProgram(112, 113, 40)
    assert opened(program, SWAP2, gomocup=gomocup) == (None, (112, 113, 40))
    turns = program.asked
    assert [turn.moves for turn in turns] == [(), (112,), (112, 113)]
    assert len({turn.game for turn in turns}) == 1
    assert {(turn.seat, turn.opening, turn.time_ms) for turn in turns} == {
        (Mark.X, Opening.SWAP2, 1000)
    }
    assert 112 not in turns[1].legal


def test_marks_up_to_a_failure_count_and_none_is_a_failure() -> None:
    assert opened(FakeProgram(112), SWAP2) == (None, (112,))
    with pytest.raises(BotFailed):
        opened(FakeProgram(), SWAP2)


def test_a_program_that_goes_on_places_the_rest() -> None:
    assert opened(FakeProgram(40), SWAP2, 112, 113) == (None, (40,))
    assert opened(FakeProgram(112), Course.begin("pie")) == (None, (112,))


def test_a_choice_and_the_two_marks_that_follow() -> None:
    marks = 112, 113, 40
    program = FakeProgram(9, 8, choice=Choice.MORE)
    assert opened(program, SWAP2, *marks) == (Choice.MORE, (9, 8))
    choosing = program.asked[0]
    assert choosing.choices == tuple(Choice)
    assert (choosing.seat, choosing.opening, choosing.time_ms) == (Mark.O, Opening.SWAP2, 3000)
    assert opened(FakeProgram(choice=Choice.MORE), SWAP2, *marks) == (Choice.MORE, ())
    assert opened(FakeProgram(choice=Choice.SWAP), SWAP2, *marks) == (Choice.SWAP, ())


def test_a_program_that_gives_no_choice_stays() -> None:
    assert opened(FakeProgram(), Course.begin("pie"), 112) == (Choice.STAY, ())


def test_an_engine_is_not_asked_what_its_language_has_no_words_for() -> None:
    more = SWAP2.chosen(EngineChoice.MORE)
    for course, moves in (
        (Course.begin("pie"), (112,)),
        (SWAP2, (112,)),
        (more, (112, 113, 40)),
    ):
        program = FakeProgram(1, 2, 3, choice=Choice.SWAP)
        assert opened(program, course, *moves, gomocup=True) is None
        assert not program.asked
    program = FakeProgram(choice=Choice.SWAP)
    assert opened(program, SWAP2, 112, 113, 40, gomocup=True) == (Choice.SWAP, ())
    assert opened(FakeProgram(112), Course.begin("pie"), gomocup=True) == (None, (112,))
