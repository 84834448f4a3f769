import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.client.bots.programs import CHOOSES, ENGINE, FIRST, scripted
from tests.protocol.bots.examples import GOMOKU, build_choosing, build_turn
from ttt_client.bots.process import BotProcess
from ttt_protocol.bots.conversation import MOST_BYTES, BotProtocol
from ttt_protocol.bots.failures import MOST_STDERR, BotFailed, CannotStart, FailureKind
from ttt_protocol.bots.language import GameEnd, UnplayableBoard
from ttt_protocol.codes import Choice, Opening, Reason

pytestmark = pytest.mark.slow

Start = Callable[..., BotProcess]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    started: list[BotProcess] = []

    def begin(command: list[str], **options: object) -> BotProcess:
        process = BotProcess(command, BotProtocol.JSON, **options)  # type: ignore[arg-type]
        started.append(process)
        return process

    yield begin
    for process in started:
        await process.close()


async def failure(process: BotProcess, **changes: Any) -> BotFailed:
    with pytest.raises(BotFailed) as caught:
        await process.ask(build_turn(**changes))
    return caught.value


async def test_a_program_answers_turn_after_turn(start: Start) -> None:
    lines: list[tuple[str, str]] = []
    process = start(FIRST, on_line=lambda mark, line: lines.append((mark, line)))
    assert (await process.ask(build_turn())).answer.cell == 0
    assert (await process.ask(build_turn(0, 4))).answer.cell == 1
    process.tell_end(GameEnd(None, Reason.FULL))
    assert [mark for mark, _ in lines] == [">", ">", "<", ">", "<", ">"]
    assert lines[2] == ("<", '{"cell": 0}')


async def test_a_program_chooses(start: Start) -> None:
    assert await start(CHOOSES).choose(build_choosing()) is Choice.SWAP
    with pytest.raises(BotFailed, match="crashed"):
        await start(["false"]).choose(build_choosing())


async def test_a_stone_that_it_named_is_not_asked_for() -> None:
    engine = BotProcess(ENGINE, BotProtocol.GOMOCUP)
    first = build_turn(rules=GOMOKU, opening=Opening.SWAP2)
    assert (await engine.ask(first)).answer.cell == 112
    again = build_turn(112, rules=GOMOKU, opening=Opening.SWAP2)
    assert (await engine.ask(again)).answer.cell == 113
    await engine.close()


async def test_it_is_told_its_level_and_no_secret(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTT_TOKEN", "secret")
    body = "import os\nsay(0, reason=str(sorted(k for k in os.environ if 'TTT' in k)))"
    reply = await start(scripted(body), variables={"TTT_LEVEL": "3"}).ask(build_turn())
    assert reply.answer.reason == "['TTT_LEVEL']"


async def test_a_crash_tells_the_status_and_the_last_words(start: Start) -> None:
    process = start(scripted("print('no idea', file=sys.stderr)\nsys.exit(3)"))
    assert str(await failure(process)) == "crashed: exit status 3; it wrote: no idea"
    assert (await failure(process)).kind is FailureKind.CRASHED  # it was started anew


async def test_a_signal_is_named(start: Start) -> None:
    process = start(scripted("import os\nos.kill(os.getpid(), 11)"))
    assert str(await failure(process)) == "crashed: signal SIGSEGV"


async def test_a_program_that_closes_its_output_has_crashed(start: Start) -> None:
    process = start(scripted("import os\nos.close(1)\ntime.sleep(60)"))
    assert str(await failure(process)) == "crashed: it closed its output"


async def test_a_slow_program_is_killed_and_the_next_question_starts_another(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_client.bots.process.START_S", 0)
    process = start(scripted("if not message['moves']: time.sleep(60)\nsay(8)"))
    assert (await failure(process, time_ms=50)).kind is FailureKind.TOO_SLOW
    monkeypatch.setattr("ttt_client.bots.process.START_S", 10)
    assert (await process.ask(build_turn(4, 0))).answer.cell == 8


async def test_its_children_end_with_it(start: Start) -> None:
    body = "import subprocess\nsay(0, reason=str(subprocess.Popen(['sleep', '60']).pid))"
    process = start(scripted(body))
    child = int((await process.ask(build_turn())).answer.reason or 0)
    await process.kill()
    async with asyncio.timeout(5):
        while _runs(child):  # noqa: ASYNC110 - no event of ours comes from there
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123
        return stat.read().split()[2] != "Z"


async def test_a_program_that_ends_between_two_moves_is_started_again(start: Start) -> None:
    process = start(scripted("say(legal[-1])\nsys.exit()"))
    assert (await process.ask(build_turn())).answer.cell == 8
    await asyncio.sleep(0.2)
    assert (await process.ask(build_turn(8, 0))).answer.cell == 7


async def test_rubbish_and_illegal_moves_are_named(start: Start) -> None:
    assert "'four'" in str(await failure(start(scripted("print('four', flush=True)"))))
    assert str(await failure(start(scripted("say(9)")))).startswith("illegal: cell 9; legal were 0")


async def test_a_flood_of_output_fails_it(start: Start) -> None:
    flood = f"sys.stdout.write('x' * {2 * MOST_BYTES})\nsys.stdout.flush()\ntime.sleep(60)"
    assert "more than 65536 bytes" in str(await failure(start(scripted(flood))))


async def test_a_flood_after_the_answer_fails_the_next(start: Start) -> None:
    body = f"say(0)\nsys.stdout.write('x' * {4 * MOST_BYTES})\nsys.stdout.flush()"
    process = start(scripted(body))
    await process.ask(build_turn())
    await asyncio.sleep(0.2)
    assert "without an answer" in str(await failure(process))


async def test_standard_error_is_kept_up_to_a_limit_and_a_flood_waits(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_client.bots.process.START_S", 0.5)
    lines: list[str] = []
    body = f"sys.stderr.write(('x' * 99 + '\\n') * {MOST_BYTES // 10})\nsay(0)"
    process = start(
        scripted(body), on_line=lambda mark, line: lines.append(line) if mark == "!" else None
    )
    slow = await failure(process, time_ms=50)
    assert slow.kind is FailureKind.TOO_SLOW
    assert len(lines) < MOST_BYTES // 10
    floods = scripted("sys.stderr.write('x' * 5000)\nsys.stderr.flush()\nsay(0)")
    reply = await start(floods).ask(build_turn())
    assert set(reply.stderr) == {"x"}
    assert len(reply.stderr) <= MOST_STDERR


async def test_a_program_that_is_not_there(start: Start) -> None:
    with pytest.raises(CannotStart, match=r"cannot start \./nothing: No such file"):
        await start(["./nothing"]).ask(build_turn())


async def test_a_board_without_words_for_it() -> None:
    process = BotProcess(FIRST, BotProtocol.GOMOCUP)
    with pytest.raises(UnplayableBoard):
        await process.ask(build_turn())
    await process.close()


async def test_an_engine_of_gomocup_plays() -> None:
    command = ["python3", "client/examples/bots/gomoku.py"]
    process = BotProcess(command, BotProtocol.GOMOCUP)
    assert (await process.ask(build_turn(rules=GOMOKU))).answer.cell == 64
    assert (await process.ask(build_turn(64, 0, rules=GOMOKU, left_ms=1000))).seconds < 5
    await process.close()


async def test_one_that_ignores_its_end_is_killed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_client.bots.process._END_S", 0.05)
    process = start(scripted("say(0)\ntime.sleep(60)"))
    await process.ask(build_turn())
    await process.close()
    await process.close()


TALKATIVE = [
    *(sys.executable, "-S", "-c"),
    """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word in ("START", "RESTART"):
        print("OK" if word == "START" else "unknown", flush=True)
    elif word in ("BEGIN", "TURN"):
        sys.stdout.write(("MESSAGE " + "x" * 90 + "\\r\\n") * 12_000)
        print("7,7" if word == "BEGIN" else "6,6", flush=True)
        sys.stdout.write("DEBUG pondering\\n" * 90_000)
        sys.stdout.flush()
""",
]


async def test_an_engine_may_write_a_megabyte_of_messages_in_a_thought() -> None:
    program = BotProcess(TALKATIVE, BotProtocol.GOMOCUP)
    turn = build_turn(rules=GOMOKU)._replace(time_ms=20_000)
    assert (await program.ask(turn)).answer.cell == 112
    second = build_turn(112, 0, rules=GOMOKU)._replace(time_ms=20_000)
    assert (await program.ask(second)).answer.cell == 96
    # It knows no RESTART, and is started anew for the next game.
    assert (await program.ask(turn._replace(game=2))).answer.cell == 112
    await program.close()


LATE = [
    *("sh", "-c"),
    """while read word rest; do case $word in
    START) sleep 0.4; echo OK;; BEGIN) echo 7,7;; TURN) sleep 9;; esac; done""",
]


async def test_the_time_of_a_move_begins_when_the_engine_is_ready() -> None:
    program = BotProcess(LATE, BotProtocol.GOMOCUP, tolerance_s=0)
    turn = build_turn(rules=GOMOKU)._replace(time_ms=200)
    reply = await program.ask(turn)
    assert reply.seconds < 0.2
    with pytest.raises(BotFailed, match=r"too slow: 0\.\d+ s of 0\.2 s"):
        await program.ask(build_turn(112, 0, rules=GOMOKU)._replace(time_ms=200))
    await program.close()
