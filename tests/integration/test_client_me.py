"""`ttt-client me`: one name on two machines, and the seat that goes with it."""

import json
import re
from collections.abc import Awaitable
from pathlib import Path

from tests.integration.players import ClientProcess, Run
from tests.integration.programs import Dial, ServerProcess, eventually


async def test_a_name_on_two_machines(
    run: Run, server: ServerProcess, dial: Dial, tmp_path: Path
) -> None:
    async def me(*words: str, home: str, typed: str = "") -> tuple[int, str, str]:
        client = await run(
            *("--server", server.address, "--name", "ada", "me", *words),
            home=home,
            XDG_CONFIG_HOME=str(tmp_path / home),
        )
        if typed:
            await client.type(typed)
        return await client.end()

    assert (await me(home="laptop"))[0] == 1
    code, out, _ = await me("keep", "Ann", home="laptop")
    assert (code, "Ann is yours" in out) == (0, True)
    file = tmp_path / "laptop" / "ttt-rooms" / "client.toml"
    assert file.stat().st_mode & 0o077 == 0
    assert "you keep the name Ann already" in (await me("keep", "Bob", home="laptop"))[2]
    code, _, err = await me("keep", "A N N", home="phone")
    assert (code, "is kept by somebody" in err) == (4, True)

    code, out, _ = await me("link", home="laptop")
    link = re.search(r"http\S+/me#code=(\S+)", out)
    assert link is not None
    assert "this is Ann" in (await me("use", link[0], home="phone"))[1]
    assert (await me("use", link[1], home="tablet"))[0] == 4
    _, phrase, _ = await me("phrase", home="phone")

    laptop = await run(
        "--server", server.address, "join", "den", XDG_CONFIG_HOME=str(file.parents[1])
    )
    await laptop.until("Ann")
    phone = await dial(server, "den")
    assert (await phone.join(role="spectator"))["room"]["seats"]["X"]["name"] == "Ann"

    assert (await me("sign-out", home="laptop"))[0] == 0
    assert "signed out everywhere" in (await me(home="phone"))[2]
    assert file.read_text() == "[persons]\n"
    words = phrase.splitlines()[0]
    assert "again" in (await me("recover", "ann", home="laptop", typed=words))[1]
    assert "you are Ann" in (await me(home="laptop"))[1]

    bob = await dial(server, "den")
    await bob.join(name="Bob", role="player")

    async def is_listed() -> bool:
        return "your turn:\n  Bob" in (await me(home="laptop"))[1]

    await eventually(is_listed)
    (game,) = json.loads((await me("--json", home="laptop"))[1])["games"]
    assert (game["room"], game["url"]) == (
        "den",
        f"http{server.address.removeprefix('ws')}/rooms/den",
    )
    assert json.loads((await me("export", home="laptop"))[1])["person"]["name"] == "Ann"
    assert (await me("forget", "ann", home="laptop"))[0] == 2
    assert "forgotten" in (await me("forget", "Ann", home="laptop"))[1]
    assert (await me(home="laptop"))[0] == 1

    guest = await run(
        *("--server", server.address, "join", "lair"), XDG_CONFIG_HOME=str(tmp_path / "phone")
    )
    await guest.until("joining as a guest")


async def test_a_challenge_in_the_terminal_leads_to_a_rated_game(
    run: Run, server: ServerProcess, tmp_path: Path
) -> None:
    def client(who: str, *words: str) -> Awaitable[ClientProcess]:
        options = "--server", server.address, "--name", who, *words
        return run(*options, home=who, XDG_CONFIG_HOME=str(tmp_path / who))

    async def said(who: str, *words: str) -> str:
        code, out, err = await (await client(who, *words)).end()
        assert code == 0, err
        return out + err

    for name in ("Cleo", "Dora"):
        await said(name, "me", "keep", name)
    assert "a day to answer" in await said("Cleo", "challenge", "dora", "--clock", "1+0", "--rated")
    assert "Cleo challenges you: 3x3, 3 in a row, 1+0, rated" in await said(
        "Dora", "me", "challenges"
    )
    accepted = await said("Dora", "me", "accept", "cleo")
    room = re.search(r"ttt-client join (\S+)", accepted)
    assert room is not None
    cleo = await client("Cleo", "join", room[1])
    await cleo.until("ratings: Cleo 1500")
    dora = await client("Dora", "join", room[1])
    for player, moves in ((cleo, "123"), (dora, "45")):
        for move in moves:
            await player.type(move)
    await cleo.until(r"ratings: Cleo 1662\? \(\+162\), Dora 1338\? \(-162\)")
    assert "blocked: Cleo" in await said("Dora", "me", "block", "Cleo")
