"""`ttt-client event join` and `watch` on the full screen: real terminals, a real server."""

from collections.abc import AsyncIterator

import pytest

from tests.integration.attendees import Visitor
from tests.integration.programs import ServerProcess
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]


@pytest.fixture
async def organiser(server: ServerProcess) -> AsyncIterator[Visitor]:
    visitor = Visitor(server, "friday")
    settings = {"form": "round-robin", "games": 2, "clock": {"initial_s": 600}}
    await visitor.come("create", title="Friday", settings=settings)
    yield visitor
    await visitor.go()


@pytest.mark.heavy
async def test_an_evening_on_two_terminals(
    server: ServerProcess, organiser: Visitor, open_terminal: Open
) -> None:
    ada = await open_terminal("event", "join", "friday", name="ada")
    await ada.shows("Friday", "round-robin", "waiting for the organiser to start", "1 player")
    bob = await open_terminal("event", "join", "friday", name="bob", size=(40, 15))
    watcher = await open_terminal("event", "watch", "friday", name="eve", size=(120, 24))
    await ada.shows("2 players")
    await watcher.shows("/events/friday", "ada", "bob")

    await organiser.tell("start")
    await ada.shows("YOUR TURN (X)", "your game against bob")
    await bob.shows("ada's turn (X)")
    await watcher.shows("ada - bob", "X to move")
    assert b"\x07" in bob.written  # a game has begun
    await organiser.tell("pause")
    await ada.shows("paused: clocks stand still")
    await organiser.tell("announce", text="A short break")
    await ada.shows("* A short break")
    await organiser.tell("resume")
    await ada.shows("YOUR TURN (X)", "Friday  round 1 of 2")

    # To the standings and back, and from a killed server to the same game.
    ada.type("E")
    await ada.shows("place 1 of 2", "your game waits")
    ada.type("\r")
    await ada.shows("YOUR TURN (X)")
    await server.kill()
    await ada.shows("lost, trying again")
    await server.start()
    await ada.shows("● live", "YOUR TURN (X)")
    await bob.shows("● live")
    for x, o in (("1", "4"), ("2", "5")):
        ada.type(x)
        await bob.shows("YOUR TURN", f"X {x}")
        bob.type(o)
        await ada.shows("YOUR TURN", f"last move: O at {o}")
    ada.type("3")
    await ada.shows("you won")

    # The next game begins by itself, and ends the evening.
    await bob.shows("YOUR TURN (X)")
    await ada.shows("bob's turn (X)")
    bob.type("R")
    await bob.shows("resign")
    bob.type("y")
    await ada.shows("Friday  round-robin", "ada won", "place 1 of 2, 2 points", "the event is over")
    await watcher.shows("ada won")
    ada.type("q")
    assert await ada.status() == 0
    ada.assert_restored()
    assert "Friday: ada won; you: place 1 of 2, 2 points" in ada.text
    bob.type("\x03")
    assert await bob.status() == 130
    bob.assert_restored()
    watcher.type("q")
    assert await watcher.status() == 0


async def test_leaving_withdrawing_and_coming_back(organiser: Visitor, open_terminal: Open) -> None:
    ada = await open_terminal("event", "join", "friday", name="ada")
    await ada.shows("1 player")
    ada.type("q")
    assert await ada.status() == 0
    assert "your place is kept: ttt-client event join friday takes part again" in ada.text
    ada = await open_terminal("event", "join", "friday", name="ada")
    await ada.shows("1 player", "ada")
    ada.type("w")
    await ada.shows("withdraw from the event?")
    ada.type("y")
    await ada.shows("you have withdrawn")
    ada.type("w")
    await ada.shows("waiting for the organiser to start")

    # A later arrival at closed doors is refused in words.
    await organiser.tell("doors", open=False)
    await ada.shows("entry is closed")
    late = await open_terminal("event", "join", "friday", name="zoe", size=(140, 24))
    assert await late.status() == 4
    late.assert_restored()
    assert "ttt-client event watch friday watches" in late.text
