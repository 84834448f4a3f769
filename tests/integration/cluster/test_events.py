"""An event on several servers: one runs it, any serves it, and another goes on when it dies."""

import pytest

from tests.integration.attendees import Attendee, Visitor, make_event
from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import eventually
from tests.integration.test_own_games import games
from tests.integration.test_persons import keep


async def test_each_server_tells_over_http_who_is_at_an_event(start_cluster: StartCluster) -> None:
    servers = one, two = await start_cluster(2)
    organiser = await make_event(one, "friday", "swiss", rounds=3)
    ada = Visitor(two, "friday")
    await ada.come("enter", name="Ada")
    here, there = [(await server.get("/api/events/friday"))[1] for server in servers]
    assert here.pop("now") <= there.pop("now")
    assert here == there
    assert [row["present"] for row in there["standings"]] == [True]
    await one.kill()
    status, left = await two.get("/api/events/friday")
    assert (status, left["seq"]) == (200, here["seq"]), "read from the log, until a client comes"
    for visitor in (organiser, ada):
        await visitor.go()


@pytest.mark.heavy
async def test_an_event_goes_on_at_another_server(start_cluster: StartCluster) -> None:
    one, two = await start_cluster(2)
    organiser = await make_event(one, "friday", "swiss", rounds=3)
    attendees = [Attendee(two, "friday", f"player {number}", pace_s=0.2) for number in range(4)]
    for attendee in attendees:
        await attendee.enter()  # by the server that only passes it on
    await organiser.tell("start")
    watcher = Visitor(two, "friday")
    await watcher.come("watch", boards=True)
    await watcher.until(lambda: watcher.state["round"] >= 1 and bool(watcher.boards))
    await one.kill()
    await watcher.go()
    watcher = Visitor(two, "friday")
    await watcher.come("watch")
    await watcher.status("finished")
    _, answer = await two.get("/api/events/friday")
    assert len(answer["games"]) == 6
    assert sum(row["points"] for row in answer["standings"]) == 6
    for visitor in (organiser, watcher, *attendees):
        await visitor.go()


@pytest.mark.heavy
async def test_an_event_gets_the_rooms_of_its_games_from_another_server(
    start_cluster: StartCluster,
) -> None:
    one, two = await start_cluster(2)
    _, ann = await keep(one, "Ann")
    organiser = await make_event(one, "friday", "swiss", rounds=1)
    attendees = [Attendee(one, "friday", name, pace_s=0.5) for name in ("Ann", "Bob")]
    for attendee, person in zip(attendees, ({"person": ann}, {}), strict=True):
        await attendee.stay("enter", name=attendee.name, **person)
    await organiser.tell("start")

    async def is_listed() -> bool:
        return bool(await games(two, ann))

    await eventually(is_listed)
    (room,) = attendees[0].rooms
    status, _ = await two.ask("DELETE", "/api/me", token=ann)  # it takes the room
    assert status == 200
    await organiser.status("finished")
    assert [game["reason"] for game in organiser.state["games"]] != ["abandonment"]
    assert "somebody" in str(await one.get(f"/api/rooms/{room}"))
    for visitor in (organiser, *attendees):
        await visitor.go()
