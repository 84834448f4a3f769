"""Two people at one keyboard, and the list of strategies, with the real server."""

from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess
from tests.integration.test_tui import Open, open_terminal

__all__ = ["open_terminal"]


async def test_two_play_on_one_screen(
    server: ServerProcess, dial: Dial, open_terminal: Open
) -> None:
    both = await open_terminal("join", "table", "--both", "--second", "bob")
    await both.shows("ada's turn (X)", "O bob")
    both.type("5")
    await both.shows("bob's turn (O)", "last move: X at 5")
    both.type("1")
    await both.shows("ada's turn (X)", "last move: O at 1")
    both.type("dy")
    await both.shows("ada (X) offered a draw")
    both.type("x")
    await both.shows("bob (O) declined a draw")
    eve = await dial(server, "table")
    await eve.join(name="eve", role="spectator")
    await server.kill()
    await both.shows("lost, trying again")
    await server.start()
    await both.shows("● live", "ada's turn (X)")
    both.type("3")
    await both.shows("bob's turn (O)")
    both.type("9")
    await both.shows("ada's turn (X)", "last move: O at 9")
    both.type("7")
    await both.shows("ada (X) won: a line, 3 5 7")
    both.type("n")
    await both.shows("offered a rematch")
    both.type("y")
    await both.shows("bob's turn (X)", "O ada")
    both.type("qy")
    assert await both.status() == 0
    both.assert_restored()


async def test_two_play_in_lines(server: ServerProcess, run: Run) -> None:
    to = ("--server", server.address, "--name", "ada")
    both = await run(*to, "join", "table", "--both")
    await both.type("5", "1", "3", "2", "7")  # at once: each waits for its turn
    for turn, (player, cell) in enumerate([("ada", 5), ("ada 2", 1), ("ada", 3), ("ada 2", 2)]):
        await both.until(f"{player} .{'XO'[turn % 2]}. played {cell}")
    await both.until("ada .X. won")
    assert (await both.end())[0] == 0


async def test_moves_alone_are_told(server: ServerProcess, run: Run) -> None:
    ada = await run("--server", server.address, "--moves", "join", "den", "--vs", "rules")
    await ada.until("your turn")
    await ada.type("5", "board", "fly away")
    await ada.until("───┼───┼───")
    await ada.until('"fly away" was not understood')
    await ada.type("resign")
    status, out, _ = await ada.end()
    assert (status, out.count("─┼─")) == (0, 0), "only the board that was asked for"


async def test_a_strategy_explains_itself_beside_all_others(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address)
    asked = (*to, "explain", "X...O.X..", "--strategy", "minimax:9", "--tree")
    status, told, _ = await (await run(*asked)).end()
    assert status == 0
    assert "\n4: draw\n  6: draw\n" in told
    assert "O plays 4: sees 6 moves ahead, expects a draw\n" in told
    assert "\nnodes to the end: minimax 927, alpha-beta 189" in told
    _, told, _ = await (await run(*to, "explain", "4444", "--rules", "7x6x4g")).end()
    assert "X plays d2: sees 4 moves ahead, expects a win\n" in told
    _, told, _ = await (await run(*to, "compare", "X...O.X..")).end()
    assert "\nminimax:9  4 " in told
    status, _, error = await (await run(*to, "explain", "X", "--strategy", "rules")).end()
    assert (status, "1 cells on a board of 9" in error) == (4, True)


async def test_strategies_are_listed_by_strength_on_a_board(
    server: ServerProcess, run: Run
) -> None:
    to = ("--server", server.address, "strategies")
    _, classic, _ = await (await run(*to)).end()
    assert "perfect    minimax:9" in classic
    _, falling, _ = await (await run(*to, "--rules", "7x6x4g")).end()
    assert "strong     search:9" in falling
    assert "minimax" not in falling
