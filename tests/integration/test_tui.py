"""The full screen as it is: a real terminal, a real server, and the signals that come."""

import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.integration.programs import Dial, ServerProcess, SimpleClient, program
from tests.integration.terminal import LEFT, Terminal

Open = Callable[..., Awaitable[Terminal]]


@pytest.fixture
async def open_terminal(server: ServerProcess, tmp_path: Path) -> AsyncIterator[Open]:
    """Starts the client on terminals of their own; `home` tells apart its machines."""
    opened: list[Terminal] = []

    async def start(
        *arguments: str, size: tuple[int, int] = (80, 24), name: str = "ada", **variables: str
    ) -> Terminal:
        terminal = Terminal(*size)
        opened.append(terminal)
        await terminal.start(
            *(program("ttt-client"), "--server", server.address, "--name", name, *arguments),
            XDG_STATE_HOME=str(tmp_path / name),
            **variables,
        )
        return terminal

    yield start
    for terminal in opened:
        await terminal.close()


async def bob_in(dial: Dial, server: ServerProcess, room: str) -> SimpleClient:
    bob = await dial(server, room)
    await bob.join(name="bob", seat="O")
    return bob


@pytest.mark.parametrize("size", [(20, 8), (80, 24), (300, 100)], ids=str)
async def test_a_whole_game_by_keys(
    server: ServerProcess, dial: Dial, open_terminal: Open, size: tuple[int, int]
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X", size=size)
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN")
    small = size == (20, 8)
    for ply, keys, answer, seen in [
        (0, "5", 0, "[O]2 3" if small else "last move: O at 1"),
        (2, "c1", 1, "O[O>X<" if small else "last move: O at 2"),
    ]:
        ada.type(keys)
        await bob.until_ply(ply + 1)
        await bob.play(ply + 1, answer)
        await ada.shows("YOUR TURN", seen)
    ada.type("hhjj\r")  # from c1 to the left and down: 7, and the diagonal is full
    await ada.shows("you won")
    assert (await bob.until_over())["room"]["game"]["moves"] == [4, 0, 2, 1, 6]
    ada.type("n")
    await bob.until("update")
    await bob.send("offer", kind="rematch")
    await ada.shows("bob's turn (X)")
    ada.type("q")
    await ada.shows("lea")  # the question, whole or clipped
    ada.type("y")
    assert await ada.status() == 0
    ada.assert_restored()


async def test_a_whole_game_by_mouse_on_a_board_where_pieces_fall(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "tower", "--seat", "X", "--rules", "7x6x4g")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "tower")
    await ada.shows("YOUR TURN")
    lines = ada.text.splitlines()
    y = next(y for y, line in enumerate(lines) if re.search(r"a +b +c", line))
    below_c = f"\x1b[<0;{lines[y].index('c') + 1};{y + 3}M"  # in the highest row of the board
    for ply, answer in [(0, "a6"), (2, "b6"), (4, "e6")]:
        ada.type(f"l{below_c}")  # without a key between, a click right after a move is none
        await bob.until_ply(ply + 1)
        await bob.play(ply + 1, 35 + "abcdefg".index(answer[0]))
        await ada.shows("YOUR TURN", f"last move: O at {answer}")
    ada.type(f"l{below_c}")
    await ada.shows("you won: a line, c3 c4 c5 c6")


async def test_the_window_is_resized_in_the_middle_of_a_game(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "wide", "--seat", "X", "--rules", "19x19x5")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "wide")
    await ada.shows("YOUR TURN")
    ada.type("j10")
    await bob.until_ply(1)
    ada.resize(24, 9)
    await ada.shows("10  · · · · ·[X]")
    await bob.play(1, 0)
    ada.resize(10, 3)
    await ada.shows("too small")
    ada.resize(160, 50)
    await ada.shows("YOUR TURN", "┃ X ┃", "║ O ║", "last move: O at a1")
    ada.type("s19")
    await bob.until_ply(3)


async def test_the_game_goes_on_in_the_same_window_after_the_server_was_killed(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN", "● live")
    ada.type("5")
    await bob.until_ply(1)
    await bob.play(1, 0)
    await ada.shows("last move: O at 1", "YOUR TURN")

    await server.kill()
    await ada.shows("○ lost, trying again", "the connection was lost", "YOUR TURN")
    await server.start()

    await ada.shows("● live", "away", never="free")
    ada.type("9")
    await ada.shows("last move: X at 9", "bob's turn (O)")


async def test_offers_talk_and_refusals(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X")
    await ada.shows("waiting")
    bob = await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN")
    ada.type("5")
    await bob.until_ply(1)
    ada.type("1")
    await ada.shows("not your turn: bob (O) is to move")
    await bob.play(1, 0)
    await ada.shows("YOUR TURN")
    ada.type("1")
    await ada.shows("1 is taken: free are 2, 3")
    await bob.send("say", text="hello \u202e\u200b日本")
    await ada.shows("bob: hello 日本")
    ada.type("\tgood luck\r")
    assert (await bob.until("said"))["text"] == "hello 日本"
    assert (await bob.until("said"))["text"] == "good luck"
    await bob.send("offer", kind="draw")
    await ada.shows("bob (O) offered a draw", "y accept", "x decline")
    ada.click("x decline")
    await ada.shows("you (X) declined a draw")
    ada.type("r")
    await ada.shows("resign this game?")
    ada.type("n")
    await ada.shows("YOUR TURN")
    ada.type("ry")
    await ada.shows("you lost: by resignation")


async def test_hints_stand_in_the_cells(open_terminal: Open) -> None:
    ada = await open_terminal("join", "school", "--vs", "minimax:9", "--hints")
    await ada.shows("YOUR TURN")
    ada.type("1")
    await ada.shows("YOUR TURN", "last move: O")
    ada.type("i")
    await ada.shows("*draw*", "hint: ")


async def test_the_bell_and_the_title_call_for_the_player(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "room42", "--seat", "X")
    await ada.shows("waiting")
    await bob_in(dial, server, "room42")
    await ada.shows("YOUR TURN")
    assert b"\x07" in ada.written
    assert b"\x1b]2;your turn in room42\x07" in ada.written


async def test_a_room_is_chosen_from_the_list_and_left_for_it_again(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    bob = await dial(server, "den")
    await bob.join(name="bob")
    ada = await open_terminal("rooms")
    await ada.shows("den", "waiting", "bob")
    ada.type("\r")
    await ada.shows("bob's turn (X)", "ada (you)")
    ada.type("q")
    await ada.shows("leave? your seat is kept")
    ada.type("y")
    await ada.shows("ROOM", "your seat is kept")
    ada.type("w")
    await ada.shows("bob's turn (X)", "Tab chat")
    ada.type("q")
    await ada.shows("ROOM")
    ada.type("q")
    assert await ada.status() == 0


async def test_the_television_moves_on_and_says_so(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    eve = await open_terminal("watch", name="eve")
    await eve.shows("nobody is playing in public")
    players = [await dial(server, "first"), await dial(server, "first")]
    for player in players:
        await player.join()
    await eve.shows("first", "n next room", "'s turn")
    others = [await dial(server, "second"), await dial(server, "second")]
    for player in others:
        await player.join()
    await players[0].send("resign", game=1)
    await eve.shows("first: the game is over; on to the next")
    await eve.shows("second  3x3", "'s turn")
    eve.type("q")
    assert await eve.status() == 0


async def test_a_game_is_replayed_with_keys_and_slider(open_terminal: Open) -> None:
    ada = await open_terminal("join", "room42", "--vs", "rules")
    await ada.shows("YOUR TURN")
    ada.type("5")
    await ada.shows("YOUR TURN", "last move: O")
    ada.type("ry")
    await ada.shows("you lost")
    ada.type("q")
    assert await ada.status() == 0
    again = await open_terminal("replay", "room42", "1")
    await again.shows("rules (O) won: by resignation", "● 2/2")
    again.type("\x1b[D")
    await again.shows(" 1/2", "last move: X at 5")
    again.type("\x1b[H")
    await again.shows(" 0/2")
    again.click("─ 0/2")
    await again.shows(" 2/2")
    again.type("q")
    assert await again.status() == 0


@pytest.mark.parametrize(
    ("stop", "status"),
    [("\x03", 130), (signal.SIGTERM, 143), (signal.SIGINT, 130)],
    ids=["ctrl-c", "sigterm", "sigint"],
)
async def test_the_terminal_is_given_back(
    open_terminal: Open, stop: str | signal.Signals, status: int
) -> None:
    ada = await open_terminal("join", "room42")
    await ada.shows("waiting")
    if isinstance(stop, str):
        ada.type(stop)
    else:
        ada.process.send_signal(stop)
    assert await ada.status() == status
    ada.assert_restored()
    assert b"Traceback" not in ada.written


async def test_the_terminal_is_given_back_by_who_is_stopped_before_the_screen_is_there(
    server: ServerProcess, open_terminal: Open
) -> None:
    with server.suspended():
        ada = await open_terminal("join", "room42")
        await ada.shows("connecting")
        ada.process.send_signal(signal.SIGTERM)
        assert await ada.status() == 143
    ada.assert_restored()


async def test_keys_that_come_too_early_are_kept(
    server: ServerProcess, open_terminal: Open
) -> None:
    with server.suspended():
        ada = await open_terminal("join", "room42")
        await ada.shows("connecting")
        ada.type("q")
    assert await ada.status() == 0
    ada.assert_restored()


async def test_the_terminal_is_given_back_after_a_crash(
    server: ServerProcess, tmp_path: Path
) -> None:
    program_with_a_fault = (
        "import sys; from ttt_client.cli import main; import ttt_client.tui.scenes.room as room\n"
        "def draw_room(stage, *_, **__): return {}[stage.place]\n"
        "room.draw_room = draw_room\n"
        "sys.exit(main.main())"
    )
    ada = Terminal()
    try:
        await ada.start(
            *(sys.executable, "-c", program_with_a_fault, "--server", server.address),
            *("join", "room42"),
            XDG_STATE_HOME=str(tmp_path),
        )
        assert await ada.status() == 1
        ada.assert_restored()
        last_words = ada.written.decode().rpartition(LEFT)[2]
        assert "ttt-client: internal error: KeyError: 'room42'" in last_words
        assert "Traceback" not in last_words
    finally:
        await ada.close()


async def test_a_refusal_is_told_on_the_terminal_as_it_was(open_terminal: Open) -> None:
    ada = await open_terminal("watch", "nowhere")
    assert await ada.status() == 4
    ada.assert_restored()
    last_words = ada.written.decode().rpartition(LEFT)[2]
    assert "ttt-client: refused: there is no such room (no_such_room)" in last_words


async def test_wrong_usage_is_a_line_on_the_terminal_as_it_was(open_terminal: Open) -> None:
    ada = await open_terminal("join", "room42", "--rules", "2x2x2")
    assert await ada.status() == 2
    ada.assert_restored()
    assert "argument --rules: there is no such board" in ada.written.decode().rpartition(LEFT)[2]


async def test_it_is_suspended_and_comes_back(server: ServerProcess, tmp_path: Path) -> None:
    shell = Terminal()
    try:
        await shell.start(
            *("bash", "--norc", "--noprofile", "-i"),
            XDG_STATE_HOME=str(tmp_path),
            PS1="ready> ",
            TTT_SERVER=server.address,
        )
        await shell.shows("ready>")
        shell.type(f"{program('ttt-client')} --name ada join room42 --vs minimax:9\n")
        await shell.shows("YOUR TURN")
        shell.type("\x1a")
        await shell.shows("Stopped", "ready>")
        shell.type("fg\n")
        await shell.shows("YOUR TURN")
        shell.type("5")
        await shell.shows("last move: O")
        shell.type("\x03")
        await shell.shows("ready>")
    finally:
        await shell.close()


@pytest.mark.parametrize(
    ("options", "variables"),
    [(["--plain"], {}), ([], {"TERM": "dumb"}), (["--json"], {})],
    ids=["--plain", "TERM=dumb", "--json"],
)
async def test_lines_where_they_are_asked_for(
    open_terminal: Open, options: list[str], variables: dict[str, str]
) -> None:
    ada = await open_terminal(*options, "join", "room42", size=(200, 24), **variables)
    await ada.shows("room42")
    assert b"\x1b" not in ada.written


@pytest.mark.parametrize(
    ("options", "variables", "wanted", "unwanted"),
    [
        ([], {}, r"\x1b\[[\d;]*3[1-7]", None),
        ([], {"NO_COLOR": "1"}, r"\x1b\[[\d;]*7m", r"\x1b\[[\d;]*(?:3[0-7]|9[0-7])m"),
        (["--ascii"], {}, "connecting", r"[^\x00-\x7f]"),
        (["--no-mouse"], {}, "connecting", r"\x1b\[\?100[03]h"),
    ],
    ids=["colours", "NO_COLOR", "--ascii", "--no-mouse"],
)
async def test_manners(
    open_terminal: Open,
    options: list[str],
    variables: dict[str, str],
    wanted: str,
    unwanted: str | None,
) -> None:
    ada = await open_terminal(*options, "join", "room42", "--vs", "rules", **variables)
    await ada.shows("YOUR TURN")
    ada.type("5")
    await ada.shows("last move: O")
    written = ada.written.decode()
    assert re.search(wanted, written)
    assert unwanted is None or not re.search(unwanted, written)
    assert not re.search(r"\x1b\[[\d;]*[34]8;", written)  # the 16 colours of the terminal alone


async def test_the_feed_begins_with_what_has_happened(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada, bob = await dial(server, "den"), await dial(server, "den")
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    await bob.until_ply(1)
    await bob.play(1, 0)
    await ada.until_ply(2)
    eve = await open_terminal("watch", "den", name="eve")
    await eve.shows("game 1: ada (X) against bob", "ada (X) played 5", "bob (O) played 1")
    eve.type("q")
    assert await eve.status() == 0
