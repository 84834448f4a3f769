import pytest

from tests.protocol.bots.examples import GOMOKU, build_turn
from ttt_protocol.bots.failures import BotFailed
from ttt_protocol.bots.gomocup import Gomocup
from ttt_protocol.bots.language import CannotPlay, Heard
from ttt_protocol.bots.turn import Answer, GameEnd, Turn
from ttt_protocol.codes import Reason
from ttt_protocol.state import Rules

WIDE = Rules(columns=19, rows=15, in_a_row=5)


def talk(language: Gomocup, turn: Turn, *answers: str) -> tuple[list[str], Answer | None]:
    """Ask, answer each line that waits for it, and return all that was written."""
    written, answer = language.ask(turn).decode(), None
    for line in answers:
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


def test_another_game_is_a_restart_and_an_engine_that_knows_none_starts_again() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    written, _ = talk(language, build_turn(rules=GOMOKU, game=2), "OK", "0,0")
    assert (written[0], written[-1]) == ("RESTART", "BEGIN")
    written, _ = talk(language, build_turn(rules=GOMOKU, game=3), "UNKNOWN", "OK", "0,0")
    assert (written[:2], written[-1]) == (["RESTART", "START 15"], "BEGIN")


def test_another_board_is_a_start() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK", "0,0")
    assert talk(language, build_turn(rules=WIDE, game=2), "OK")[0][0] == "RECTSTART 19,15"


@pytest.mark.parametrize("line", ["7", "a,b", "19,0", "ERROR no", "UNKNOWN", "7,7 8,8"])
def test_what_is_no_move_is_not_understood(line: str) -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name", "OK")
    with pytest.raises(BotFailed, match=r"not understood: .* where a move like 7,7 was expected"):
        language.hear(line)


def test_a_start_without_ok_is_not_understood() -> None:
    language = Gomocup()
    talk(language, build_turn(rules=GOMOKU), "name")
    with pytest.raises(BotFailed, match="'ERROR size', where OK was expected"):
        language.hear("ERROR size")


def test_nothing_follows_from_an_empty_line() -> None:
    language = Gomocup()
    language.ask(build_turn(rules=GOMOKU))
    assert language.hear("") == Heard()


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(columns=9, rows=9, in_a_row=5, gravity=True)], ids=str
)
def test_boards_without_words_for_them(rules: Rules) -> None:
    with pytest.raises(CannotPlay):
        Gomocup().ask(build_turn(rules=rules))


def test_the_end() -> None:
    assert Gomocup().tell_end(GameEnd(None, Reason.FULL)) == b""
    assert Gomocup().say_goodbye() == b"END\n"
