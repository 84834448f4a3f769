"""Backups: made while players play, restored elsewhere, checked."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.integration.bots import NO_LIMITS, Bot
from tests.integration.commands import command
from tests.integration.programs import Dial, ServerProcess, StartServer, eventually
from tests.integration.referee import judge, logs

ROOMS = 8


def lengthen(data: Path) -> None:
    """Give the database some MB of rooms, so that a backup takes a while."""
    with closing(sqlite3.connect(data / "ttt.sqlite3")) as database, database:
        row = database.execute("SELECT event FROM events WHERE room = 'first'").fetchone()[0]
        filler = row.split("\n")[0]
        database.executemany(
            "INSERT INTO events VALUES (?, 1, ?)",
            ((f"filler{number}", filler + " " * 2000) for number in range(8000)),
        )


@pytest.mark.heavy
async def test_a_drill(start_server: StartServer, tmp_path: Path, dial: Dial) -> None:
    """A backup under load; a kill, and the disk is gone; restored elsewhere, the players go on."""
    server = await start_server(*NO_LIMITS)
    ada = await dial(server, "first")
    await ada.join(name="ada")
    await server.stop()
    lengthen(server.data)
    await server.start()
    limits = Random(1)
    bots = [Bot(server.address, f"game{at // 2}", limits, settings={}) for at in range(2 * ROOMS)]
    playing = [asyncio.create_task(bot.play()) for bot in bots]

    async def each_has(moves: int) -> bool:
        for task in playing:
            if task.done():
                task.result()
        return all(bot.account.moves >= moves for bot in bots)

    await eventually(lambda: each_has(3))
    backup = tmp_path / "backup"
    before = {bot: max(bot.account.events) for bot in bots}
    out, err = await command("backup", backup, "--data", server.data)
    assert (out.split(":")[0], err) == (str(backup), "")
    assert any(max(bot.account.events) > before[bot] for bot in bots), "play has gone on"
    assert backup.stat().st_mode & 0o777 == 0o600
    assert not list(server.data.glob("backup*"))
    assert "nothing wrong" in (await command("check", backup))[0]
    await server.kill()
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    shutil.rmtree(server.data)

    elsewhere = tmp_path / "elsewhere"
    await command("restore", backup, "--data", elsewhere)
    found = logs(elsewhere)
    for bot in bots:
        kept = judge(found[bot.room]).seq
        assert kept >= before[bot], "what was told before the backup is in it"
        for seq, event in bot.account.events.items():
            if seq <= kept:
                assert found[bot.room][seq - 1] == event
    other = await start_server(*NO_LIMITS, data=elsewhere)
    bots = [
        Bot(other.address, bot.room, limits, token=bot._you["token"])  # with the same seat
        for bot in bots
    ]
    playing = [asyncio.create_task(bot.play()) for bot in bots]
    await eventually(lambda: each_has(3))
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    await other.stop()
    after = logs(elsewhere)
    for room, log in found.items():
        assert after[room][: len(log)] == log, "the restored log goes on"
    for bot in bots:
        assert judge(after[bot.room]).seq >= max(bot.account.events)


async def test_a_backup_of_a_stopped_server(
    server: ServerProcess, dial: Dial, tmp_path: Path
) -> None:
    ada = await dial(server, "room42")
    token = (await ada.join(name="ada"))["you"]["token"]
    await server.kill()  # what it wrote last is in the write-ahead log
    await command("backup", tmp_path / "backup", "--data", server.data)
    await command("restore", tmp_path / "backup", "--data", server.data, "--replace")
    assert len(list(server.data.glob("before-*/ttt.sqlite3"))) == 1
    await server.start()
    again = await dial(server, "room42")
    assert (await again.join(token=token))["you"]["seat"] == "X"


async def test_a_restore_harms_nothing(server: ServerProcess, dial: Dial, tmp_path: Path) -> None:
    ada = await dial(server, "room42")
    await ada.join(name="ada")
    await command("backup", tmp_path / "backup", "--data", server.data)
    for options in ((), ("--replace",)):
        _, err = await command(
            "restore", tmp_path / "backup", "--data", server.data, *options, status=1
        )
        assert "another server is using it" in err
    await server.stop()
    _, err = await command("restore", tmp_path / "backup", "--data", server.data, status=1)
    assert "there is a database already" in err
    for file, words in (("secret", "file is not a database"), ("ttt.sqlite3", "is no backup")):
        _, err = await command(
            "restore", server.data / file, "--data", tmp_path / "other", status=1
        )
        assert words in err
    assert not (tmp_path / "other").exists()


async def test_a_backup_that_cannot_be_made(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    _, err = await command("backup", tmp_path / "there", "--data", server.data, status=1)
    assert "exists already" in err
    _, err = await command("backup", tmp_path / "no" / "where", "--data", server.data, status=1)
    assert "No such file or directory" in err
    assert not list(server.data.glob("backup*"))
    _, err = await command("backup", tmp_path / "x", "--data", tmp_path / "none", status=1)
    assert "there is no database" in err


async def test_the_secret_of_the_environment_is_in_no_backup(
    start_server: StartServer, tmp_path: Path
) -> None:
    server = await start_server("--secret", "a secret of the operator")
    await command("backup", tmp_path / "backup", "--data", server.data)
    assert b"a secret of" not in (tmp_path / "backup").read_bytes()
    _, err = await command("restore", tmp_path / "backup", "--data", tmp_path / "other")
    assert "TTT_SECRET" in err


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_check_names_the_room_and_the_event(
    server: ServerProcess, dial: Dial, is_running: bool
) -> None:
    for room in ("bad", "good"):
        ada, bob = await dial(server, room), await dial(server, room)
        await ada.join(name="ada")
        await bob.join(name="bob")
        await ada.until("update")
        await ada.play(0, 4)
    await server.stop()
    with closing(sqlite3.connect(server.data / "ttt.sqlite3")) as database, database:
        database.execute(
            "UPDATE events SET event = replace(event, ?, ?) WHERE room = 'bad'",
            ('"cell":4', '"cell":9'),
        )
    if is_running:
        await server.start()
    out, err = await command("check", "--data", server.data, status=1)
    assert out == ""
    assert "room bad: event 5: " in err
    assert "room good" not in err
    assert "2 rooms, 0 games, 9 events, 1 fault" in err
