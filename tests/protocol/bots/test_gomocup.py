import pytest

from tests.protocol.bots.examples import GOMOKU, build_choosing, build_turn
from ttt_protocol.bots.failures import BotFailed
from ttt_protocol.bots.gomocup import Gomocup, has_words_for, require_playable
from ttt_protocol.bots.language import (
    Answer,
    BotTurn,
    GameEnd,
    HeardLine,
    MustStartAgain,
    UnplayableBoard,
)
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.state import Mark, Rules

WIDE = Rules(columns=19, rows=15, in_a_row=5)


def talk(
    language: Gomocup, turn: BotTurn, *answers: str
) -> tuple[list[str], Answer | Choice | None]:
    """Ask, answer each line that waits for it, and return all that was written."""
    written, answer = language.ask(turn).decode(), HeardLine().answer
    for line in answers:
        if language.is_aside(line):
            continue
        heard = language.hear(line)
        written += heard.reply.decode()
        answer = heard.answer
    return written.splitlines(), answer


def test_the_first_move_of_an_engine() -> None:
    written, answer = talk(
        Gomocup(), build_turn(rules=GOMOKU), 'name="e"', "MESSAGE hello", "OK", "7,8"
    )
    assert written == [
        *("ABOUT", "START 15", "INFO timeout_turn 1000", "INFO timeout_match 0"),
        *("INFO max_memory 0", "INFO game_type 1", "INFO rule 0", "INFO time_left 2147483647"),
        "BEGIN",
    ]
    assert answer == Answer(8 * 15 + 7)


def test_the_next_moves_are_turns_where_it_saw_all_others() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    written, answer = talk(language, build_turn(0, 16, rules=GOMOKU, left_ms=9000), "DEBUG", "2,0")
    assert written == ["INFO timeout_turn 1000", "INFO time_left 9000", "TURN 1,1"]
    assert answer == Answer(2)


def test_it_answers_the_first_move_of_the_other_side() -> None:
    written, _ = talk(Gomocup(), build_turn(16, rules=GOMOKU), "name", "OK", "0,0")
    assert written[-1] == "TURN 1,1"


def test_a_position_that_it_did_not_see_is_a_board() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    written, _ = talk(language, build_turn(5, 16, rules=GOMOKU), "2,0")
    assert written[-4:] == ["BOARD", "5,0,1", "1,1,2", "DONE"]


def test_a_rectangle_starts_with_both_sides() -> None:
    assert talk(Gomocup(), build_turn(rules=WIDE), "name")[0][1] == "RECTSTART 19,15"


def test_another_game_is_a_restart_and_an_engine_that_knows_none_is_run_again() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    written, _ = talk(language, build_turn(rules=GOMOKU, game=2), "OK", "0,0")
    assert (written[0], written[-1]) == ("RESTART", "BEGIN")
    with pytest.raises(MustStartAgain):
        talk(language, build_turn(rules=GOMOKU, game=3), "unknown")


def test_another_board_is_a_start() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    assert talk(language, build_turn(rules=WIDE, game=2), "OK")[0][0] == "RECTSTART 19,15"


@pytest.mark.parametrize("line", ["7", "a,b", "19,0", "UNKNOWN", "7,7 8,8"])
def test_what_is_no_move_is_not_understood(line: str) -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK")
    with pytest.raises(BotFailed, match=r"not understood: .* where a move like 7,7 was expected"):
        language.hear(line)


def test_a_start_without_ok_is_not_understood() -> None:
    with pytest.raises(BotFailed, match="'size', where OK was expected"):
        talk(Gomocup(), build_turn(rules=GOMOKU), "name", "size")


@pytest.mark.parametrize("answers", [("error size",), ("name", "UNKNOWN"), ("name", "ok", "ERROR")])
def test_an_engine_may_refuse_to_start_or_to_begin(answers: tuple[str, ...]) -> None:
    with pytest.raises(UnplayableBoard, match=rf"does not play on 15x15: it says '{answers[-1]}"):
        talk(Gomocup(), build_turn(rules=GOMOKU), *answers)


def test_an_error_in_a_game_is_no_move() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    with pytest.raises(BotFailed, match="'ERROR', where a move"):
        talk(language, build_turn(0, 16, rules=GOMOKU), "ERROR")


def test_words_are_in_either_case() -> None:
    language, turn = Gomocup(), build_turn(rules=GOMOKU)
    _, answer = talk(language, turn, "name", "message hello", "Ok - ready", "debug 1,1", "7,8")
    assert answer == Answer(8 * 15 + 7)
    assert chosen(swap2(*STONES), "swap")[2] is Choice.SWAP
    assert chosen(swap2(*STONES), "Unknown command")[2] is Choice.STAY


def test_an_engine_need_not_describe_itself() -> None:
    written, answer = talk(Gomocup(), build_turn(rules=GOMOKU), "OK", "7,8")
    assert (written[:2], written[-1]) == (["ABOUT", "START 15"], "BEGIN")
    assert answer == Answer(8 * 15 + 7)


def test_a_suggestion_is_played() -> None:
    language = Gomocup()
    written, answer = talk(language, build_turn(rules=GOMOKU), "OK", "suggest 7,8", "7,8")
    assert (written[-1], answer) == ("PLAY 7,8", Answer(8 * 15 + 7))


def test_it_tells_the_limit_of_memory() -> None:
    written, _ = talk(Gomocup(83886080), build_turn(rules=GOMOKU), "OK", "7,8")
    assert "INFO max_memory 83886080" in written


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(columns=9, rows=9, in_a_row=5, gravity=True)], ids=str
)
def test_boards_without_words_for_them(rules: Rules) -> None:
    with pytest.raises(UnplayableBoard):
        Gomocup().ask(build_turn(rules=rules))


def test_the_end() -> None:
    assert Gomocup().tell_end(GameEnd(None, Reason.FULL)) == b""
    assert Gomocup().say_goodbye() == b"END\n"


STONES = 112, 113, 144
"""7,7 8,7 9,9"""


def swap2(*moves: int, seat: Mark = Mark.O) -> BotTurn:
    choices = tuple(Choice)[: 3 if len(moves) == 3 else 2]
    asked = build_choosing(*moves, rules=GOMOKU, opening=Opening.SWAP2)
    return asked._replace(choices=choices, seat=seat)


def chosen(asked: BotTurn, line: str) -> tuple[Gomocup, list[str], Choice | Answer | None]:
    """What an engine chooses that was started for this question."""
    language = Gomocup()
    language.ask(build_turn(rules=GOMOKU))
    language.hear("name")
    language.hear("OK")
    written = language.ask(asked).decode().splitlines()
    return language, written, language.hear(line).answer


def test_the_three_stones_of_an_opening_are_asked_for_once() -> None:
    language = Gomocup()
    first = build_turn(rules=GOMOKU, opening=Opening.SWAP2)
    written, answer = talk(language, first, "name", "OK", "7,7 8,7 9,9")
    assert written[-2:] == ["SWAP2BOARD", "DONE"]
    assert answer == Answer(112)
    for ply in (1, 2):
        turn = build_turn(*STONES[:ply], rules=GOMOKU, opening=Opening.SWAP2)
        assert language.recall(turn) == Answer(STONES[ply])
    assert language.recall(build_turn(0, rules=GOMOKU)) is None
    assert language.recall(build_turn(*STONES, rules=GOMOKU)) is None
    assert language.recall(build_turn(112, rules=GOMOKU, game=2)) is None
    written, _ = talk(language, build_turn(*STONES, 0, rules=GOMOKU), "1,1")
    assert written[-6:] == ["BOARD", "7,7,1", "8,7,2", "9,9,1", "0,0,2", "DONE"]


@pytest.mark.parametrize(
    ("line", "choice", "planned"),
    [
        ("SWAP", Choice.SWAP, ()),
        ("8,8", Choice.STAY, (128,)),
        ("8,8 8,6", Choice.MORE, (128, 98)),
        ("UNKNOWN command", Choice.STAY, ()),
    ],
)
def test_the_choice_after_three_stones(line: str, choice: Choice, planned: tuple[int, ...]) -> None:
    language, written, answer = chosen(swap2(*STONES), line)
    assert written[-5:] == ["SWAP2BOARD", "7,7", "8,7", "9,9", "DONE"]
    assert answer is choice
    moves: tuple[int, ...] = STONES
    for cell in planned:
        assert language.recall(build_turn(*moves, rules=GOMOKU)) == Answer(cell)
        moves = (*moves, cell)
    assert language.recall(build_turn(*moves, rules=GOMOKU)) is None


@pytest.mark.parametrize(
    ("line", "choice", "planned"),
    [("SWAP", Choice.STAY, None), ("6,8", Choice.SWAP, Answer(126)), ("ERROR", Choice.STAY, None)],
)
def test_the_choice_after_five_stones_is_for_the_seat_of_x(
    line: str, choice: Choice, planned: Answer | None
) -> None:
    five = *STONES, 128, 98
    language, _, answer = chosen(swap2(*five, seat=Mark.X), line)
    assert answer is choice
    assert language.recall(build_turn(*five, rules=GOMOKU)) == planned


@pytest.mark.parametrize("line", ["STAY", "1,1 2,2 3,3", "19,0", "7,7 swap"])
def test_what_is_no_choice_is_not_understood(line: str) -> None:
    with pytest.raises(BotFailed, match="where SWAP or moves like 8,8 8,6 was expected"):
        chosen(swap2(*STONES), line)


def test_two_moves_after_five_stones_are_not_understood() -> None:
    with pytest.raises(BotFailed):
        chosen(swap2(*STONES, 128, 98), "1,1 2,2")


def test_an_engine_that_does_not_know_the_word_begins() -> None:
    language = Gomocup()
    first = build_turn(rules=GOMOKU, opening=Opening.SWAP2)
    written, answer = talk(language, first, "name", "OK", "UNKNOWN", "7,7")
    assert written[-1] == "BEGIN"
    assert answer == Answer(112)
    assert language.recall(build_turn(112, rules=GOMOKU)) is None


def test_an_engine_may_reject_each_line_of_a_question() -> None:
    language, _, answer = chosen(swap2(*STONES), "UNKNOWN")
    assert answer is Choice.STAY
    language.ask(build_turn(*STONES, rules=GOMOKU))
    for _ in (*STONES, "DONE"):
        assert language.hear("UNKNOWN") == HeardLine()
    assert language.hear("1,0").answer == Answer(1)


def test_in_a_pie_opening_an_engine_stays() -> None:
    assert Gomocup().recall(build_choosing(rules=GOMOKU)) is Choice.STAY
    assert Gomocup().recall(swap2(*STONES)) is None


def test_a_longer_row_that_does_not_win_is_rule_1() -> None:
    rules = GOMOKU.model_copy(update={"exact": True})
    written, _ = talk(Gomocup(), build_turn(rules=rules), "name", "OK")
    assert "INFO rule 1" in written


def test_what_the_protocol_has_words_for_in_an_opening() -> None:
    assert has_words_for(build_turn(112, rules=GOMOKU))
    assert has_words_for(build_turn(rules=GOMOKU, opening=Opening.PIE))
    assert has_words_for(build_turn(rules=GOMOKU, opening=Opening.SWAP2))
    assert not has_words_for(build_turn(112, rules=GOMOKU, opening=Opening.SWAP2))
    assert has_words_for(build_choosing(rules=GOMOKU, opening=Opening.SWAP2))
    assert not has_words_for(build_choosing(rules=GOMOKU))


def test_engines_know_no_variant() -> None:
    with pytest.raises(UnplayableBoard):
        require_playable(Rules(columns=15, rows=15, in_a_row=5, variant="torus"))
