"""A fair opening between a full screen and a pipe, on a board with exact rows."""

from tests.integration.players import Run
from tests.integration.programs import ServerProcess
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]

BOARD = "15x15x5!"


async def test_a_swap2_opening(server: ServerProcess, open_terminal: Open, run: Run) -> None:
    ada = await open_terminal("join", "fair", "--opening", "swap2", "--rules", BOARD, "--seat", "X")
    await ada.shows("waiting", "5 in a row, exactly", "opening: swap2")
    bob = await run("--server", server.address, "--name", "bob", "join", "fair")
    await ada.shows("YOUR TURN (X): place three stones for both sides")
    for cell, mark in (("h8", "X"), ("h9", "O")):
        ada.type(f"{cell}\r")
        await ada.shows(f"last move: {mark} at {cell}")
    ada.type("i9\r")
    await ada.shows("bob chooses: stay, swap, or two more")
    await bob.until("you choose: stay .play O., swap .play X., or more")

    await bob.type("h7", "more", "a1", "c1")  # the move waits for the choice
    await ada.shows("YOUR CHOICE: stay or swap", "last move: X at a1")
    ada.type("w")
    await ada.shows("O ada (you)")
