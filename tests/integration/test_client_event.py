"""`ttt-client event`: an evening of two players at two terminals, from its making to its export."""

import json
import shlex
from pathlib import Path

import pytest

from tests.client.bots.programs import scripted
from tests.integration.attendees import Attendee, Visitor
from tests.integration.players import ClientProcess, Run
from tests.integration.programs import ServerProcess
from tests.integration.test_tui import Open, open_terminal

pytestmark = pytest.mark.heavy

__all__ = ["open_terminal"]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_an_evening(server: ServerProcess, run: Run) -> None:
    async def tell(*words: str) -> tuple[int, str, str]:
        return await (await run("--server", server.address, "event", *words)).end()

    code, out, _ = await tell("create", "friday", "--form", "round-robin", "--title", "Friday")
    assert code == 0
    assert "/events/friday#organise=" in out
    watching = await run("--server", server.address, "event", "watch", "friday")
    players = {}
    for count, name in enumerate(("ada", "bob"), start=1):
        asked = ("--server", server.address, "--name", name, "event", "join", "friday")
        players[name] = await run(*asked)
        await watching.until(f"{count} player")  # the first plays X
    assert (await tell("announce", "friday", "Welcome!"))[0] == 0
    await watching.until(r"\* Welcome!")
    code, _, err = await tell("remove", "friday", "zoe")
    assert (code, err) == (4, "ttt-client: no player of the event is called zoe\n")
    assert (await tell("start", "friday"))[0] == 0
    for name, cells in (("ada", "1 2 3"), ("bob", "4 5")):
        await players[name].until("your game against")
        await players[name].type(*cells.split())
    await watching.until("Friday: ada won")
    code, out, _ = await tell("export", "friday", "--format", "csv")
    assert out.splitlines()[1].startswith("1,ada,human,active,1.0,1,0,0,0")
    code, out, _ = await tell("export", "friday", "--format", "cross")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["1", "ada", "*", "1", "1"],
        ["2", "bob", "0", "*", "0"],
    ]
    _, as_json, _ = await tell("export", "friday", "--json")
    event, *games = map(json.loads, as_json.splitlines())
    assert (event["title"], len(games)) == ("Friday", 1)
    for player in players.values():
        assert (await player.end())[0] == 0


async def test_the_next_round_begins_at_a_command(server: ServerProcess, run: Run) -> None:
    async def tell(*words: str) -> int:
        return (await (await run("--server", server.address, "event", *words)).end())[0]

    form = ("--form", "swiss", "--rounds", "2", "--manual")
    assert await tell("create", "friday", *form) == 0
    watcher = Visitor(server, "friday")
    await watcher.come("watch")
    players = [Attendee(server, "friday", name) for name in ("ada", "bob", "cy")]
    for player in players:
        await player.enter()
    assert await tell("start", "friday") == 0
    await watcher.until(lambda: watcher.state.get("awaits") == "next")
    assert watcher.state["round"] == 1
    await server.restart_after_kill()
    await watcher.come("watch")
    assert (watcher.state["awaits"], watcher.state["round"]) == ("next", 1)
    here = lambda: all(row["present"] for row in watcher.state["standings"])  # noqa: E731
    await watcher.until(here)
    assert await tell("next", "friday") == 0
    await watcher.until(lambda: watcher.state["status"] == "finished")
    assert watcher.state["round"] == 2
    assert await tell("next", "friday") == 4
    for visitor in (*players, watcher):
        await visitor.go()


async def test_quit_between_the_games(server: ServerProcess, open_terminal: Open) -> None:
    organiser = Visitor(server, "friday")
    await organiser.come("create", settings={"form": "arena"})
    ada = await open_terminal("--plain", "event", "join", "friday")
    await ada.shows("not started, 1 player")
    ada.type("1\n")
    await ada.shows("no game yet: quit ends the program")
    ada.type("quit\n")
    await ada.shows("your place is kept: the same command takes part again")
    assert await ada.status() == 0
    await organiser.go()


async def test_a_player_who_is_removed_is_not_let_back(server: ServerProcess, run: Run) -> None:
    async def tell(*words: str) -> int:
        return (await (await run("--server", server.address, "event", *words)).end())[0]

    assert await tell("create", "friday", "--form", "arena") == 0
    ada = Visitor(server, "friday")
    await ada.come("enter", name="ada")
    assert await tell("remove", "friday", "ada") == 0
    again = Visitor(server, "friday")
    await again.come("enter", token=ada.you["token"])
    assert again.refusals[-1]["code"] == "not_allowed"
    await ada.go()
    await again.go()


async def test_bots_take_part(server: ServerProcess, run: Run) -> None:
    async def begin(*words: str) -> ClientProcess:
        return await run("--server", server.address, *words)

    made = await begin("event", "create", "bots", "--form", "round-robin")
    assert (await made.end())[0] == 0
    watching = await begin("event", "watch", "bots")
    program = shlex.join(scripted("say(legal[0])"))
    bots = []
    for count, name in enumerate(("ada", "bob"), start=1):
        bots.append(await begin("--name", name, "bot", "--event", "bots", "--exec", program))
        await watching.until(f"{count} player")
    assert (await (await begin("event", "start", "bots")).end())[0] == 0
    await bots[0].until("won as X, a line; 1 game,")
    await bots[1].until("lost as O, a line; 1 game,")
    await watching.until(r"1\. +ada \(bot\) +1 ")
    for bot in bots:
        assert (await bot.end())[0] == 0


async def test_wrong_usage_and_an_event_that_is_not_there(server: ServerProcess, run: Run) -> None:
    for words, code, why in (
        (("create", "friday"), 2, "create needs --form"),
        (("watch", "no_name"), 2, "1 to 20 of a-z"),
        (("announce", "friday"), 2, "needs a TEXT"),
        (("watch", "monday"), 4, "no_such_room"),
        (("start", "monday"), 1, "does not organise"),
        (("export", "monday"), 4, "there is no such event"),
    ):
        program = await run("--server", server.address, "event", *words)
        status, _, err = await program.end()
        assert (status, why in err) == (code, True), err


async def test_an_event_for_all_is_listed(server: ServerProcess, run: Run) -> None:
    for name, *flags in (("friday",), ("saturday", "--public")):
        words = ("event", "create", name, "--form", "arena", "--title", name.title(), *flags)
        assert (await (await run("--server", server.address, *words)).end())[0] == 0
    _, answer = await server.get("/api/events")
    (event,) = answer["events"]
    assert (event["event"], event["title"], event["players"]) == ("saturday", "Saturday", 0)
    _, state = await server.get("/api/events/friday")
    assert "public" not in state["settings"]
