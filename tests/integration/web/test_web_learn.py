"""The page to learn on: lessons with a board, and tasks that it ticks off."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, cell, press
from ttt_engine import TIC_TAC_TOE, Mark, Rules
from ttt_engine.puzzles import Kind, make_set

CALM = {"reduced_motion": "reduce"}
SMALL = {"viewport": {"width": 320, "height": 568}}


def prompt(page: Page) -> Locator:
    return page.locator(".prompt")


def tasks(page: Page) -> Locator:
    return page.locator(".tasks li")


async def is_done(page: Page, *numbers: int) -> None:
    """Wait until these tasks, and no others, are ticked off."""
    words = ["Done:" if number in numbers else "Open:" for number in (1, 2, 3)]
    await expect(tasks(page)).to_have_text([re.compile(f"^{each}") for each in words])


async def guessed(page: Page, own: str, answer: str) -> None:
    """Play a cell, guess the answer, and wait until it is played."""
    await cell(page, f"{own}, empty").click()
    await expect(prompt(page)).to_have_text("What will it play?")
    await cell(page, f"{answer}, empty").click()


async def test_rules_of_thumb_are_guessed_and_beaten(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/", **CALM)
    await page.get_by_role("navigation").get_by_role("link", name="Learn").click()
    await page.get_by_role("heading", name="Learn how a computer plays").wait_for()
    await page.get_by_role("link", name="Rules of thumb").click()
    await expect(page.get_by_role("heading", name="Which rule comes first?")).to_be_focused()
    await is_done(page)
    await guessed(page, "a1", "a2")
    await cell(page, "b2, O").wait_for()
    await expect(prompt(page)).to_have_text("Not quite")
    reasons = page.get_by_role("region", name="How it decides")
    await expect(reasons.locator("li")).to_have_text(
        [
            "wins does not fit",
            "blocks a line does not fit",
            "takes the centre b2",
            "takes a corner no longer needed",
            "takes a side no longer needed",
        ]
    )
    await guessed(page, "c3", "c1")
    await cell(page, "c1, O").wait_for()  # as good to it as a3, so that the guess is right
    await expect(prompt(page)).to_have_text("Right!")
    await cell(page, "a3, empty").click()  # a fork
    await press(page, "Show me")
    await is_done(page, 2)
    free = page.get_by_role("button", name=re.compile("^(a2|b3), empty$"))
    await free.click()
    await expect(prompt(page)).to_have_text("You won")
    await is_done(page, 2, 3)

    await page.reload()
    await is_done(page, 2, 3)
    await page.get_by_role("link", name="Next: Brute force").click()
    await page.get_by_role("heading", name="How many games are won?").wait_for()
    await page.go_back()
    await guessed(page, "a1", "b2")
    await cell(page, "b2, O").wait_for()
    await guessed(page, "b1", "c1")
    await is_done(page, 1, 2, 3)
    await page.get_by_text("All three tasks are done!").wait_for()
    await press(page, "Take back")
    await cell(page, "b1, empty").wait_for()


async def test_a_lesson_by_keyboard(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/learn#rules", **CALM)
    await page.get_by_label("Let me guess first").press("Space")
    await cell(page, "b2, empty").focus()
    for key in ("ArrowLeft", "Enter"):
        await page.keyboard.press(key)
    await cell(page, "b2, O").wait_for()
    await expect(prompt(page)).to_have_text("Your turn")
    await expect(cell(page, "a2, X")).to_be_focused()
    await page.get_by_role("link", name="Skip to the lesson").press("Enter")
    await expect(page.locator("#learn")).to_be_focused()
    await expect(page).to_have_url(re.compile("#rules$"))


async def test_a_tree_is_foretold_and_filled(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/learn#ahead", **CALM)
    tree = page.locator(".tree-panel")
    await expect(tree.locator(".pill").first).to_have_text("0 of 11 positions")
    await expect(tree.locator(".tree-counts .pill")).to_have_text(
        ["without skipping: 11 positions", "alpha-beta: 8", "and with a memory: 7"]
    )
    loss, draw, _ = [tree.locator(".answers button").nth(number) for number in range(3)]
    await expect(draw).to_be_disabled()
    await press(page, "Step")
    await expect(prompt(page)).to_have_text("X wins")  # with a1
    await press(page, "Step")  # b2, a1, c3
    await expect(prompt(page)).to_have_text("X chooses. How does it end?")
    await page.get_by_text("After b2, a1: c3 = a draw").wait_for()
    await draw.click()  # X has one move left there
    await expect(prompt(page)).to_have_text("Right!")
    await press(page, "Step")  # b2, c3
    await loss.click()  # O prefers to win
    await is_done(page)
    await press(page, "Step")
    await draw.click()
    await is_done(page, 1)
    for _ in range(4):
        await press(page, "Step")
    await expect(tree.locator(".pill").first).to_have_text("11 of 11 positions")
    await expect(prompt(page)).to_have_text("The tree is full: X wins")
    await is_done(page, 1, 2)

    await tree.get_by_label("Skip what cannot matter").check()
    await expect(tree.locator(".box.skipped")).to_have_count(2)
    for _ in range(8):
        await press(page, "Step")
    await is_done(page, 1, 2, 3)
    await press(page, "Start again")
    await cell(page, "a1, empty").click()
    await page.get_by_text("After a1 it is over: X wins.").wait_for()
    await cell(page, "b2, empty").click()  # the tree of what follows
    await cell(page, "b2, X").wait_for()
    await expect(tree.locator(".pill").first).to_have_text("0 of 4 positions")
    await press(page, "Take back")
    await cell(page, "b2, empty").wait_for()
    await page.set_viewport_size({"width": 320, "height": 568})
    await press(page, "A larger tree")
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await expect(tree.locator(".pill").first).to_have_text(re.compile("^0 of "))


async def test_the_learner_avoids_the_loss_that_it_remembers(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/learn#memory", **CALM)
    await page.evaluate("localStorage.setItem('ttt / choice learn games', 'a1b1a2b2a3')")
    await page.reload()
    await page.get_by_text("It remembers one game.").wait_for()
    await page.get_by_label("Let me guess first").uncheck()
    await cell(page, "a1, empty").click()
    reasons = page.get_by_role("region", name="How it decides")
    await reasons.get_by_text("avoids an earlier loss", exact=True).wait_for()
    await expect(reasons.locator(".cell-numbers")).to_contain_text(re.compile("[+]0 .1 =0"))
    await is_done(page, 2)
    await press(page, "Forget all games")
    await page.get_by_text("It remembers 0 games.").wait_for()


async def test_methods_are_judged_in_any_position(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/learn#strength", **CALM)
    for name in ("a1", "b2", "c3"):
        await cell(page, f"{name}, empty").click()
    row = page.get_by_role("row", name=re.compile("^Rules of thumb"))
    await expect(row).to_have_text("Rules of thumb rulesc1, a3goes wrong")
    await page.get_by_text("With best play: a draw.").wait_for()
    await is_done(page, 1, 3)
    await page.get_by_text("A hint").click()
    await page.get_by_text("for the second task a1, c2, b1").wait_for()
    await press(page, "New game")
    for name in ("a1", "c2", "b1"):
        await cell(page, f"{name}, empty").click()
    await is_done(page, 1, 2, 3)
    await row.get_by_role("link").click()
    await page.get_by_role("heading", name="Which rule comes first?").wait_for()


async def test_ultimate_sends_wins_and_leaves_no_free_choice(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/learn#ultimate", **CALM)
    rule = page.locator(".rule-line")
    await expect(rule).to_have_text("Play in the small board: bottom right.")
    await expect(prompt(page)).to_have_text("Send O to the small board: left")
    await cell(page, "h7, empty, bottom right board, you may play here").click()
    await page.get_by_text("h7 sends O to the small board: top.").wait_for()
    await is_done(page)
    await press(page, "Try again")
    await cell(page, "h8, empty, bottom right board, you may play here").focus()
    for key in ("ArrowLeft", "Enter"):
        await page.keyboard.press(key)
    await expect(prompt(page)).to_have_text("Right!")
    await expect(rule).to_have_text("Play in the small board: left.")
    await is_done(page, 1)

    await press(page, "Task 2")
    await cell(page, "h7, empty, bottom right board, you may play here").click()
    await page.get_by_text("O plays next in: top.").wait_for()
    await expect(page.locator(".big.X")).to_have_count(1)
    await is_done(page, 1, 2)

    await press(page, "Task 3")
    await cell(page, "c3, empty, top left board, you may play here").click()
    free = page.get_by_text("c3 sends O to a closed board: O has the free choice. O plays")
    await free.wait_for()
    await press(page, "Show the answer")
    await expect(prompt(page)).to_have_text("The answer")
    await is_done(page, 1, 2)
    await press(page, "Try again")
    await cell(page, "b1, empty, top left board, you may play here").click()
    await page.get_by_text("All three tasks are done!").wait_for()

    await page.get_by_role("link", name="Puzzles of this game").click()
    await page.get_by_text("three small boards in a row").first.wait_for()
    (puzzle,) = make_set("ultimate", [Kind.WIN_IN_TWO], Rules(9, 9, 3, variant="ultimate"), 1)
    position, cell_name = puzzle.position, puzzle.position.rules.cell_name
    after = {each: position.play(each).boards or "" for each in position.legal_moves}
    closing = next(each for each, boards in after.items() if boards != position.boards)
    assert closing != puzzle.cell
    wrong = cell_name(closing)
    await page.get_by_role("button", name=re.compile(f"^{wrong}, empty")).click()
    await page.get_by_text("three small boards in a row with the next move").wait_for()
    await expect(page.locator(".big.O")).to_have_count(after[closing].count("O"))
    await expect(rule).to_have_text(re.compile("^Your square sends"))


async def test_a_set_of_puzzles_is_solved_and_kept_here_alone(
    windows: Windows, server: ServerProcess
) -> None:
    made = make_set("class-4b", tuple(Kind), TIC_TAC_TOE, 3)
    page = await windows.visit(server, "/learn#sets", **CALM)
    await page.get_by_label("Name of the set").fill("Class 4b")
    await page.get_by_text("A name has 1 to 24").wait_for()
    await page.get_by_label("Name of the set").fill("class-4b")
    await page.get_by_label("How many").select_option("3")
    link = await page.get_by_label("Link to this set").input_value()
    assert link.endswith(
        "/learn#set=class-4b&kinds=win_in_two,only_move,who_wins&rules=3x3x3&count=3"
    )
    pupil = await windows.open(link, reduced_motion="reduce")
    for number, puzzle in enumerate(made, 1):
        await pupil.get_by_role("button", name=re.compile(f"^{number} Open")).click()
        turn = puzzle.position.turn
        if puzzle.cell is None:
            right = {None: "a draw", Mark.X: "X wins", Mark.O: "O wins"}[puzzle.winner]
            wrong = "X wins" if right != "X wins" else "O wins"
            await pupil.get_by_role("button", name=wrong).click()
            await expect(prompt(pupil)).to_have_text("Not quite")
            await press(pupil, "Try again")
            await pupil.get_by_role("button", name=right).click()
        else:
            names = {each: TIC_TAC_TOE.cell_name(each) for each in puzzle.position.legal_moves}
            wrong = next(name for each, name in names.items() if each != puzzle.cell)
            await cell(pupil, f"{wrong}, empty").click()
            await expect(prompt(pupil)).to_have_text(f"Not {wrong}")
            await pupil.get_by_text(re.compile(f"^{turn.other} answers ")).wait_for()
            await press(pupil, "Try again")
            await cell(pupil, f"{names[puzzle.cell]}, empty").click()
            await cell(pupil, f"{names[puzzle.cell]}, {turn}").wait_for()
        await expect(prompt(pupil)).to_have_text("Right!")
        await pupil.get_by_role("button", name=re.compile(f"^{number} Done")).wait_for()
    await pupil.get_by_text("All solved. Well done!").wait_for()
    await pupil.reload()
    await expect(pupil.get_by_role("button", name=re.compile("Done:$"))).to_have_count(3)
    other = await windows.open(link, reduced_motion="reduce")
    await expect(other.get_by_role("button", name=re.compile("Open:$"))).to_have_count(3)
    await other.goto(link.replace("class-4b", "Class"))
    await other.get_by_text("This link does not name a set of puzzles").wait_for()
    windows.complaints.clear()  # of the 400


async def test_a_puzzle_by_keyboard(windows: Windows, server: ServerProcess) -> None:
    (puzzle,) = make_set("keys", [Kind.WIN_IN_TWO], TIC_TAC_TOE, 1)
    page = await windows.visit(server, "/learn#set=keys&kinds=win_in_two&count=1", **CALM)
    await page.locator(".cell[tabindex='0']").focus()
    assert puzzle.cell is not None
    name = TIC_TAC_TOE.cell_name(puzzle.cell)
    for key in (*name, "Enter"):  # the letter of a column, and the number of a row
        await page.keyboard.press(key)
    await expect(cell(page, f"{name}, {puzzle.position.turn}")).to_be_focused()
    await expect(page.get_by_role("status").first).to_contain_text("Right!")
    await page.get_by_text("All solved. Well done!").wait_for()


async def test_the_puzzle_of_the_day(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/learn", **CALM)
    await page.get_by_role("link", name=re.compile("A new one each day")).click()
    address = page.url.partition("/learn")[0]
    told = await (await page.request.get(f"{address}/api/puzzles/daily")).json()
    puzzle, rules = told["puzzle"], told["puzzle"]["rules"]
    if puzzle["cell"] is None:
        winner = puzzle["winner"]
        await page.get_by_role("button", name=f"{winner} wins" if winner else "a draw").click()
    else:
        row, column = divmod(puzzle["cell"], rules["columns"])
        await cell(page, f"{'abcdefg'[column]}{row + 1}, empty").click()
    await page.get_by_text("Solved today. Come back tomorrow!").wait_for()
    await page.reload()
    await page.get_by_text("Solved today. Come back tomorrow!").wait_for()
    await expect(prompt(page)).to_have_text("Right!")


@pytest.mark.parametrize("locale", ["en-GB", "de-AT", "fr-CA", "es-MX"])
async def test_every_page_fits_a_small_phone(
    windows: Windows, server: ServerProcess, locale: str
) -> None:
    page = await windows.visit(server, "/learn", locale=locale, **SMALL, **CALM)
    for part in PARTS:
        await page.goto(f"{page.url.partition('#')[0]}#{part}")
        await page.locator("h1").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_rule_of_accessibility_is_broken(
    windows: Windows, server: ServerProcess, scheme: str
) -> None:
    page = await windows.visit(server, "/learn", color_scheme=scheme, **CALM)
    for part in PARTS:
        await page.goto(f"{page.url.partition('#')[0]}#{part}")
        await page.locator("h1").wait_for()
        await assert_accessible(page)


PARTS = (
    *("", "rules", "counts", "lines", "ahead", "memory", "strength", "ultimate"),
    *("daily", "sets", "set=class-4b&rules=7x6x4g", "set=nine&rules=ultimate"),
)
