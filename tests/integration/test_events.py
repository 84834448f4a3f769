"""Events with real servers and players: every form, restarts, people who leave."""

import asyncio
from typing import Any

import pytest

from tests.integration.attendees import Attendee, Hold, Visitor, make_event
from tests.integration.commands import command
from tests.integration.programs import ServerProcess, SharedServer, StartServer, eventually


async def people(server: Any, event: str, count: int) -> list[Attendee]:
    attendees = [Attendee(server, event, f"player {number}") for number in range(1, count + 1)]
    for attendee in attendees:
        await attendee.enter()
    return attendees


async def leave(*visitors: Visitor) -> None:
    await asyncio.gather(*(visitor.go() for visitor in visitors))


@pytest.mark.parametrize(
    ("form", "players", "games"),
    [("swiss", 5, 4), ("round-robin", 4, 6), ("knockout", 4, None), ("simul", 4, 3)],
)
async def test_an_event_from_its_start_to_its_end(
    shared: SharedServer, room_name: str, form: str, players: int, games: int | None
) -> None:
    organiser = await make_event(shared, room_name, form, rounds=2)
    attendees = await people(shared, room_name, players)
    await organiser.tell("start")
    await organiser.status("finished")
    status, answer = await shared.get(f"/api/events/{room_name}")
    assert status == 200
    assert games is None or len(answer["games"]) == games
    assert all(game["result"] is not None for game in answer["games"])
    assert answer["standings"][0]["rank"] == 1
    await leave(organiser, *attendees)


@pytest.mark.heavy
async def test_an_event_without_another_round_says_why(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "swiss", rounds=9)
    attendees = await people(shared, room_name, 4)
    await organiser.tell("start")
    await organiser.status("finished")
    _, answer = await shared.get(f"/api/events/{room_name}")
    assert (answer["round"], answer["ended_early"]) == (3, "no_pairing")
    await leave(organiser, *attendees)


@pytest.mark.heavy
async def test_players_and_ais_of_an_event_open_fairly_and_results_follow_them(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "round-robin", opening="pie")
    attendees = await people(shared, room_name, 3)
    await organiser.tell("add_ai", ai={"strategy": "lines"})
    await organiser.tell("start")
    await organiser.status("finished")
    _, answer = await shared.get(f"/api/events/{room_name}")
    swaps = 0
    for game in answer["games"]:
        _, record = await shared.get(f"/api/rooms/{game['room']}/games/1")
        assert [record["seats"][seat]["name"] for seat in "XO"] == [game["X"], game["O"]]
        (choice,) = [each["choice"] for each in record["events"] if each["type"] == "chosen"]
        winner = record["events"][-1]["outcome"]["winner"]
        began_as = {"X": "O", "O": "X"}.get(winner) if choice == "swap" else winner
        assert game["result"] == (began_as or "draw")
        swaps += choice == "swap"
    assert (len(answer["games"]), swaps > 2) == (6, True)
    assert sum(row["points"] for row in answer["standings"]) == 6
    await leave(organiser, *attendees)


@pytest.mark.heavy
async def test_an_event_goes_on_after_a_kill(server: ServerProcess) -> None:
    organiser = await make_event(server, "friday", "swiss", rounds=3)
    attendees = await people(server, "friday", 6)
    for attendee in attendees:
        attendee.pace_s = 0.2
    await organiser.tell("start")
    await organiser.until(lambda: organiser.state["round"] >= 1)
    token = organiser.you["token"]
    await server.restart_after_kill()
    organiser = Visitor(server, "friday")
    await organiser.come("organise", token=token)
    await organiser.status("finished")
    _, answer = await server.get("/api/events/friday")
    assert len(answer["games"]) == 9
    assert sum(row["points"] for row in answer["standings"]) == 9
    await leave(organiser, *attendees)
    await server.stop()
    assert "nothing wrong" in (await command("check", "--data", server.data))[0]
    old = ("--forget-events-after", "1s", "--data", server.data)
    out, _ = await command("compact", "--forget-events-after", "9000d", "--data", server.data)
    assert out.startswith("freed: 0 rooms, ")

    async def is_old() -> bool:
        out, _ = await command("compact", "--dry-run", *old)
        return out.startswith("would free about: 10 rooms, ")  # its log, and those of its games

    await eventually(is_old)
    out, _ = await command("compact", *old)
    assert out.startswith("freed: 10 rooms, ")


async def test_an_ai_takes_the_odd_place(shared: SharedServer, room_name: str) -> None:
    stand_in = {"strategy": "rules"}
    organiser = await make_event(shared, room_name, "swiss", rounds=1, stand_in=stand_in)
    attendees = await people(shared, room_name, 3)
    await organiser.tell("start")
    await organiser.status("finished")
    assert sum(row["byes"] for row in organiser.state["standings"]) == 0
    await leave(organiser, *attendees)


@pytest.mark.heavy
async def test_a_player_who_does_not_come_loses_after_the_grace(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "round-robin", grace_s=1)
    attendees = await people(shared, room_name, 2)
    await attendees[1].go()
    await organiser.tell("start")
    await organiser.status("finished")
    (game,) = organiser.state["games"]
    assert (game["reason"], game["X"]) == ("absent", "player 1")
    assert game["result"] == "X"
    await leave(organiser, attendees[0])


@pytest.mark.heavy
async def test_players_at_a_board_are_told_of_the_round(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "swiss", rounds=2)
    hold = Hold(3)  # the games of the second round
    attendees = [Attendee(shared, room_name, f"player {n}", 0.4, hold) for n in range(4)]
    for attendee in attendees:
        await attendee.enter()
    await organiser.tell("start")
    for attendee in attendees:
        await attendee.until(lambda it=attendee: it.state["round"] == 2)
    await leave(organiser, *attendees)


async def test_commands_of_strangers_are_refused(shared: SharedServer, room_name: str) -> None:
    stranger = Visitor(shared, room_name)
    await stranger.come("watch")
    assert stranger.refusals[-1]["code"] == "no_such_room"
    organiser = await make_event(shared, room_name, "arena")
    assert await stranger.refusal("organise", token="x.y") == "bad_token"
    await stranger.tell("watch")
    await stranger.until(lambda: bool(stranger.you))
    assert await stranger.refusal("start") == "not_allowed"
    assert await stranger.refusal("withdraw") == "not_a_player"
    assert await stranger.refusal("nonsense") == "bad_command"
    await organiser.tell("invite")
    await organiser.until(lambda: bool(organiser.invitation))
    second = Visitor(shared, room_name)
    await second.come("organise", token=organiser.invitation)
    assert second.you["role"] == "organiser"
    await leave(stranger, organiser, second)


async def test_an_address_makes_only_so_many_events(start_server: StartServer) -> None:
    server = await start_server("--max-rooms-per-address", "3")
    for number in range(3):
        await leave(await make_event(server, f"event{number}", "arena"))
    late = Visitor(server, "late")
    await late.come("create", settings={"form": "arena"})
    assert late.refusals[-1]["code"] == "server_full"
    assert "too many events" in late.refusals[-1]["reason"]
    taken = Visitor(server, "event0")
    await taken.come("watch")
    assert taken.you["role"] == "watcher"
    await leave(late, taken)


async def test_announcements_have_a_pace(shared: SharedServer, room_name: str) -> None:
    organiser = await make_event(shared, room_name, "arena")
    for number in range(5):
        await organiser.tell("announce", text=f"line {number}")
    assert await organiser.refusal("announce", text="one more") == "too_early"
    await leave(organiser)


@pytest.mark.heavy
async def test_organisers_are_told_who_was_removed_and_may_let_them_in_again(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "arena")
    (player,) = await people(shared, room_name, 1)
    watcher, second = Visitor(shared, room_name), Visitor(shared, room_name)
    await watcher.come("watch")
    removed = {"id": player.you["id"], "name": "player 1", "may_return": False}
    await organiser.tell("remove", player=removed["id"], may_return=False)
    await organiser.until(lambda: organiser.removed == [removed])
    await second.come("organise", token=organiser.you["token"])
    await second.until(lambda: second.removed == [removed])
    await player.go()
    await player.come("enter", token=player.token)
    assert player.refusals[-1]["code"] == "not_allowed"
    await organiser.tell("remove", player=removed["id"], may_return=True)
    await organiser.until(lambda: organiser.removed == [removed | {"may_return": True}])
    await player.go()
    await player.come("enter", token=player.token)
    await organiser.until(lambda: not organiser.removed)
    await second.until(lambda: len(second.state["standings"]) == 1)
    assert (watcher.removed, player.removed) == ([], [])
    await leave(organiser, second, watcher, player)


@pytest.mark.heavy
async def test_an_event_that_no_one_looks_at_goes_on_after_a_kill(server: ServerProcess) -> None:
    organiser = await make_event(server, "friday", "match")
    for level in (1, 2):
        await organiser.tell("add_ai", ai={"strategy": "minimax", "level": level})
    await organiser.until(lambda: organiser.state["players"] == 2)
    await organiser.tell("start")
    await organiser.until(lambda: organiser.state["status"] == "running")
    await organiser.go()
    await server.restart_after_kill()

    async def is_finished() -> bool:
        _, answer = await server.get("/api/events/friday")
        return bool(answer["status"] == "finished")

    await eventually(is_finished)


@pytest.mark.heavy
@pytest.mark.slow
async def test_a_pause_stops_all_clocks(shared: SharedServer, room_name: str) -> None:
    clock = {"initial_s": 60, "increment_s": 0}
    organiser = await make_event(shared, room_name, "match", clock=clock)
    players = [Attendee(shared, room_name, name, hold=Hold(1)) for name in ("one", "two")]
    for player in players:
        await player.enter()
    await organiser.tell("start")
    await organiser.status("running")
    await organiser.tell("pause")
    await organiser.status("paused")
    (game,) = organiser.state["games"]

    async def left_ms() -> int:
        _, room = await shared.get(f"/api/rooms/{game['room']}")
        return int(room["game"]["clock"]["X"])

    first = await left_ms()

    async def stands() -> bool:  # it is held up to a second and a half ahead
        return await left_ms() > first - 1600

    async def runs() -> bool:
        return not await stands()

    await asyncio.sleep(2.5)
    await eventually(stands)
    await organiser.tell("resume")
    await eventually(runs)
    await leave(organiser, *players)


async def test_a_wall_is_told_of_the_boards(shared: SharedServer, room_name: str) -> None:
    organiser = await make_event(shared, room_name, "match")
    hold = Hold(1)
    players = [Attendee(shared, room_name, name, hold=hold) for name in ("one", "two")]
    for player in players:
        await player.enter()
    wall, late, other = [Visitor(shared, room_name) for _ in range(3)]
    await wall.come("watch", boards=True)
    await other.come("watch")
    await organiser.tell("start")
    await wall.until(lambda: bool(wall.boards))
    (board,) = wall.boards
    assert (board["number"], board["X"], board["O"]) == (1, "one", "two")
    assert (board["game"]["ply"], board["game"]["clock"]) == (0, None)
    await late.come("watch", boards=True)
    await late.until(lambda: late.boards == wall.boards)
    hold.release()
    await wall.until(lambda: not wall.boards or wall.boards[0]["game"]["ply"] > 0)
    await other.status("finished")
    assert other.boards == []
    await leave(organiser, wall, other, late, *players)


async def test_a_wall_sees_the_boards_after_their_delay(
    shared: SharedServer, room_name: str
) -> None:
    organiser = await make_event(shared, room_name, "match", delay_s=600)
    players = [Attendee(shared, room_name, name, pace_s=0.3) for name in ("one", "two")]
    wall = Visitor(shared, room_name)
    await wall.come("watch", boards=True)
    for player in players:
        await player.enter()
    await organiser.tell("start")
    await wall.until(lambda: wall.boards)
    await wall.status("finished")
    assert [board["game"]["ply"] for board in wall.boards] == [0]
    await leave(organiser, wall, *players)
