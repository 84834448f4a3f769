import os
import sys
import time

import pytest

from tests.client.bots.programs import CHOOSES, ENGINE, scripted
from tests.protocol.bots.examples import GOMOKU, build_choosing, build_turn
from ttt_protocol.bots.conversation import MOST_BYTES, BotProtocol
from ttt_protocol.bots.failures import BotFailed, CannotStart, FailureKind
from ttt_protocol.bots.language import Answer, GameEnd
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_server.ai.program import Program

pytestmark = pytest.mark.slow


def program(command: list[str], level: int | None = None) -> Program:
    return Program(command, BotProtocol.JSON, level)


def failure(one: Program) -> BotFailed:
    with pytest.raises(BotFailed) as caught:
        one.ask(build_turn())
    one.close()
    return caught.value


def test_a_program_answers_turn_after_turn() -> None:
    one = program(scripted("import os\nsay(legal[0], reason=os.environ['TTT_LEVEL'])"), level=3)
    assert one.ask(build_turn()).answer == (0, "3", None)
    reply = one.ask(build_turn(0, 4))
    assert reply.answer.cell == 1
    assert reply.seconds < 5
    one.tell_end(GameEnd(None, Reason.FULL))
    one.close()
    one.close()


def test_a_program_chooses_and_a_stone_that_it_named_is_not_asked_for() -> None:
    choosing = program([*CHOOSES])
    assert choosing.choose(build_choosing()) is Choice.SWAP
    choosing.close()
    engine = Program([*ENGINE], BotProtocol.GOMOCUP)
    first = build_turn(rules=GOMOKU, opening=Opening.SWAP2)
    assert engine.ask(first).answer == Answer(112)
    second = engine.ask(build_turn(112, rules=GOMOKU, opening=Opening.SWAP2))
    assert (second.answer, second.seconds) == (Answer(113), 0.0)
    engine.close()


def test_a_crash_tells_the_status_and_the_last_words() -> None:
    one = program(scripted("print('no idea', file=sys.stderr)\nsys.exit(3)"))
    assert str(failure(one)) == "crashed: exit status 3; it wrote: no idea"


def test_a_slow_program_is_killed_and_the_next_question_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = program(scripted("if message['moves']: time.sleep(60)\nsay(4)"))
    assert one.ask(build_turn()).answer.cell == 4
    with pytest.raises(BotFailed) as caught:
        one.ask(build_turn(4, 0, time_ms=50))
    assert caught.value.kind is FailureKind.TOO_SLOW
    monkeypatch.setattr("ttt_server.ai.program.START_S", 10)
    assert one.ask(build_turn()).answer.cell == 4
    one.close()


def test_one_that_ended_between_two_moves_is_started_again() -> None:
    one = program(scripted("say(legal[-1])\nsys.exit()"))
    assert one.ask(build_turn()).answer.cell == 8
    time.sleep(0.2)
    assert one.ask(build_turn(8, 0)).answer.cell == 7
    one.close()


def test_what_it_says_unasked_is_dropped_and_a_flood_fails_it() -> None:
    one = program(scripted("say(legal[0])\nsay(99)"))
    assert one.ask(build_turn()).answer.cell == 0
    time.sleep(0.1)
    assert one.ask(build_turn(0, 4)).answer.cell == 1
    one.close()
    flood = f"say(0)\nsys.stdout.write('x' * {4 * MOST_BYTES})\nsys.stdout.flush()"
    two = program(scripted(flood))
    two.ask(build_turn())
    time.sleep(0.1)
    assert "without an answer" in str(failure(two))


def test_closed_errors_and_output() -> None:
    one = program(scripted("say(legal[0])", "import os\nos.close(2)"))
    assert one.ask(build_turn()).answer.cell == 0
    assert one.ask(build_turn(0, 4)).answer.cell == 1
    one.close()
    assert str(failure(program(scripted("import os\nos.close(1)\ntime.sleep(60)")))) == (
        "crashed: it closed its output"
    )


def test_one_that_does_not_read_its_end_is_killed() -> None:
    one = program(scripted("say(0)\ntime.sleep(60)"))
    one.ask(build_turn())
    one.close()


def test_an_engine_of_gomocup_plays() -> None:
    engine = Program(["python3", "client/examples/bots/gomoku.py"], BotProtocol.GOMOCUP)
    assert engine.ask(build_turn(rules=GOMOKU)).answer.cell == 64
    engine.close()


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(CannotStart):
        program(["./nothing"]).ask(build_turn())


@pytest.mark.parametrize("name", ["TTT_SECRET", "PYDANTIC_DISABLE_PLUGINS"])
def test_what_is_the_servers_stays_here(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "secret")
    assert name in os.environ
    one = program(scripted(f"import os\nsay(0, reason=str('{name}' in os.environ))"))
    assert one.ask(build_turn()).answer.reason == "False"
    one.close()


TALKATIVE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word in ("START", "RESTART"):
        print("OK" if word == "START" else "UNKNOWN", flush=True)
    elif word == "BEGIN":
        sys.stdout.write(("message " + "x" * 90 + "\\n") * 12_000)
        print("7,7", flush=True)
"""


def test_an_engine_that_says_much_and_knows_no_restart() -> None:
    engine = Program([sys.executable, "-S", "-c", TALKATIVE], BotProtocol.GOMOCUP)
    turn = build_turn(rules=GOMOKU)._replace(time_ms=20_000)
    for game in (1, 2):
        assert engine.ask(turn._replace(game=game)).answer.cell == 112
    engine.close()
