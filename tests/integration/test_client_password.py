"""The password of a room: asked for where it is needed, never shown, and no more than once."""

from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]


async def lock(dial: Dial, server: ServerProcess, room: str) -> None:
    bob = await dial(server, room)
    await bob.join(name="bob", password="sesame", settings={"password": "sesame"})


async def test_lines_of_text_ask_without_showing_it(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    await lock(dial, server, "vault")
    ada = await open_terminal("--plain", "join", "vault")
    await ada.shows("password of the room:")
    ada.type("salami\n")
    await ada.shows("wrong password: password of the room:")
    ada.type("sesame\n")
    await ada.shows("bob's turn")
    ada.type("say hello\n")
    await ada.shows("say hello", "ada: hello")
    assert b"sesame" not in ada.written
    assert b"salami" not in ada.written
    ada.type("quit\n")
    assert await ada.status() == 0


async def test_ctrl_c_at_the_question_shows_typed_text_again(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    await lock(dial, server, "vault")
    ada = await open_terminal("--plain", "join", "vault")
    await ada.shows("password of the room:")
    ada.type("\x03")
    assert await ada.status() == 130
    ada.assert_echoes()


async def test_the_variable_opens_a_locked_room_and_locks_no_other(
    server: ServerProcess, dial: Dial, run: Run
) -> None:
    await lock(dial, server, "vault")
    eve = await run("--server", server.address, "watch", "vault", TTT_PASSWORD="sesame")
    await eve.until("waiting for another player")
    await eve.type("quit")
    assert (await eve.end())[0] == 0
    ada = await run("--server", server.address, "join", "open", TTT_PASSWORD="sesame")
    await ada.until("waiting for another player")
    await (await dial(server, "open")).join(name="bob")
    await ada.until("your turn")


async def test_the_screen_asks_once_and_the_list_remembers(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    await lock(dial, server, "vault")
    eve = await open_terminal(name="eve")
    await eve.shows("vault (locked)")
    eve.type("w")
    await eve.shows("vault is locked", "password of the room:")
    eve.type("salami\r")
    await eve.shows("wrong password")
    eve.type("\x1b[200~sesame\x1b[201~")
    await eve.shows("******")
    eve.type("\r")
    await eve.shows("you are watching")
    eve.type("q")
    await eve.shows("rooms 1 of 1")
    eve.type("w")
    await eve.shows("you are watching", never="password")
    eve.type("q")
    await eve.shows("rooms 1 of 1")
    eve.type("q")
    assert await eve.status() == 0
    assert "sesame" not in eve.text
    assert b"sesame" not in eve.written
    eve.assert_restored()


async def test_escape_gives_the_question_up(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    await lock(dial, server, "vault")
    ada = await open_terminal("join", "vault")
    await ada.shows("password of the room:", "Esc back")
    ada.type("\x1b")
    assert await ada.status() == 4
    ada.assert_restored()
    await ada.shows("refused: this room needs its password")


async def test_a_player_sees_the_games_of_a_locked_room_by_the_seat_alone(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address, "--name")
    ada = await run(*to, "ada", "join", "vault", "--password", "sesame", "--vs", "fair")
    await ada.until("your turn")
    await ada.type("resign")
    assert (await ada.end())[0] == 0
    status, out, _ = await (await run(*to, "ada", "replay", "vault")).end()
    assert (status, "won: by resignation" in out) == (0, True)
    status, out, err = await (await run(*to, "eve", "replay", "vault")).end()
    assert (status, out) == (4, "")
    assert err.startswith("ttt-client: refused: ")
