"""The host's rights, names that change, and talk that is there again, in lines and on a screen."""

from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]


async def test_a_host_keeps_order_in_lines(server: ServerProcess, run: Run) -> None:
    to = ("--server", server.address, "--name")
    ada = await run(*to, "ada", "join", "den")
    await ada.until("you are the host of this room")
    bob = await run(*to, "bob", "join", "den")
    await ada.until("bob took seat O")
    eve = await run(*to, "eve", "watch", "den")
    await eve.until("you are watching")
    await eve.type("say boo")
    await ada.until("eve .watching.: boo")
    await ada.type("mute eva")
    await ada.until("mute takes a name; known here: bob, eve")
    await ada.type("mute eve", "say quiet now")
    await eve.until("quiet now")  # what came before it is carried out
    await eve.type("say boo")
    await eve.until("refused: the host of this room has muted you")
    await ada.type("quit")
    assert (await ada.end())[0] == 0
    ada = await run(*to, "ada", "join", "den")
    await ada.until("muted: eve")
    await ada.type("clear", "chat players")
    await eve.until("the host cleared the chat")
    await eve.until("only the players may chat now")
    await bob.type("chat off")
    await bob.until("refused: ")
    await bob.type("rename Blue Otter")
    await bob.until("you are called Blue Otter now")
    await ada.until(r"bob .O. is called Blue Otter now")
    await ada.type("remove eve")
    status, _, err = await eve.end()
    assert (status, err) == (1, "ttt-client: the host removed you from the room\n")


async def test_talk_is_there_again_and_the_host_has_keys(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    ada = await open_terminal("join", "den")
    await ada.shows("you are the host", "M host")
    eve = await dial(server, "den")
    await eve.join(name="eve", role="spectator")
    await eve.send("say", text="hello all")
    await ada.shows("eve (watching): hello all")
    ada.type("H")
    await ada.shows("chat hidden", never="hello all ")
    ada.type("H")
    await ada.shows("hello all")
    ada.type("q")
    assert await ada.status() == 0
    ada = await open_terminal("join", "den")
    await ada.shows("eve (watching): hello all", "you are the host")
    ada.type("M")
    await ada.shows("host:  m mute")
    ada.type("c")
    await ada.shows(": clear", "Enter do it")
    ada.type("\r")
    await ada.shows("the host cleared the chat", never="hello all ")
    ada.type("Mx\r")
    assert (await eve.until("goodbye"))["code"] == 4003


async def test_a_player_who_comes_later_sees_how_long_the_other_is_away(
    server: ServerProcess, dial: Dial, run: Run
) -> None:
    ada, bob = await dial(server, "den"), await dial(server, "den")
    await ada.join(name="ada")
    await bob.join(name="bob")
    await bob.socket.close()
    await ada.until("presence")
    eve = await run("--server", server.address, "watch", "den")
    await eve.until(r"O: bob \(away [0-9]+ s\)")
