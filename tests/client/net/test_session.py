import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from tests.client.conftest import build_summary
from ttt_client.net import session as sessions
from ttt_client.net.session import Ending, Heard, NotConnected, Note, RoomSession
from ttt_protocol.codec import decode_command, encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join, Leave
from ttt_protocol.messages import Goodbye, Message, Refused, Rooms, RoomsChanged, Welcome
from ttt_protocol.state import GivenSettings, Mark, Role, RoomState, Token

MakeRoom = Callable[..., RoomState]
MakeWelcome = Callable[..., Welcome]
Start = Callable[..., Awaitable[str]]

KEY = "k" * 16
JOIN = Join(name="ada", seat=Mark.X, settings=GivenSettings(public=False), claim_key=KEY)


class MemoryTokenStore:
    """A store in memory."""

    is_kept = True
    trouble = None

    def __init__(self, token: str | None = None) -> None:
        self.token = None if token is None else Token(token)

    def recall(self) -> Token | None:
        return self.token

    def remember(self, token: Token) -> None:
        self.token = token

    def forget(self) -> None:
        self.token = None


class RunningSession:
    """A session that keeps its reports, and the pauses that it would have made."""

    def __init__(self, url: str, join: Join | None = JOIN, **options: str | None) -> None:
        self.tokens = MemoryTokenStore(options.get("remembered"))
        self.heard: list[Heard] = []
        self.welcomed = asyncio.Event()
        self.notes: list[str] = []
        self.pauses: list[float] = []
        given = options.get("given")
        self.session = RoomSession(
            url, join, self.tokens, given=None if given is None else Token(given), sleep=self.sleep
        )

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def report(self, event: Heard | Note) -> None:
        if isinstance(event, Heard):
            self.heard.append(event)
            if isinstance(event.message, Welcome):
                self.welcomed.set()
        else:
            self.notes.append(str(event))

    async def run(self) -> Ending:
        return await self.session.run(self.report)


async def joined(connection: ServerConnection) -> Join:
    command = decode_command(await connection.recv())
    assert isinstance(command, Join)
    return command


async def send(connection: ServerConnection, message: Message) -> None:
    await connection.send(encode_message(message), text=True)


async def test_it_joins_reports_messages_and_remembers_the_token(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        assert connection.subprotocol == "ttt.v1"
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.send('{"type": "news"}')
        await connection.close(1000, "bye")

    running = RunningSession(await scripted(script))
    assert await running.run() == Ending(0, "the server ended the connection")
    assert joins == [JOIN]
    assert [heard.message for heard in running.heard] == [welcome(room()), None]
    assert running.heard[1].raw == '{"type": "news"}'
    assert running.tokens.token == "token-X"
    assert not running.session.connected


async def test_a_remembered_token_says_alone_which_seat_it_is(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.close(1000)

    await RunningSession(await scripted(script), remembered="old").run()
    assert joins[0].token == "old"
    assert joins[0].seat is None
    assert joins[0].settings == JOIN.settings


async def test_a_bad_remembered_token_is_forgotten_and_it_joins_anew(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        bad = Refused(command="join", code=RefusalCode.BAD_TOKEN, reason="no such seat")
        await send(connection, bad)
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.close(1000)

    running = RunningSession(await scripted(script), remembered="old")
    assert (await running.run()).code == 0
    assert joins[1] == JOIN
    assert running.notes == ["the remembered seat is gone; joining again"]
    assert running.tokens.token == "token-X"


async def test_a_bad_remembered_token_stays_forgotten_if_no_seat_is_free(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        for code in (RefusalCode.BAD_TOKEN, RefusalCode.ROOM_FULL):
            await joined(connection)
            await send(connection, Refused(command="join", code=code, reason="no"))
        await connection.wait_closed()

    running = RunningSession(await scripted(script), remembered="old")
    assert await running.run() == Ending(4, "refused: no (room_full)")
    assert running.tokens.token is None


async def test_a_bad_token_of_the_user_is_not_given_up_for_another(scripted: Start) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        bad = Refused(command="join", code=RefusalCode.BAD_TOKEN, reason="no such seat")
        await send(connection, bad)
        await connection.wait_closed()

    running = RunningSession(await scripted(script), given="mine", remembered="old")
    assert await running.run() == Ending(4, "refused: no such seat (bad_token)")
    assert joins[0].token == "mine"
    assert running.tokens.token == "old"


@pytest.mark.parametrize("code", [RefusalCode.ROOM_FULL, RefusalCode.SERVER_FULL])
async def test_a_refused_join_ends_with_the_reason(scripted: Start, code: RefusalCode) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, Refused(command="join", code=code, reason="both\x1b[2J taken"))
        await connection.wait_closed()

    running = RunningSession(await scripted(script))
    assert await running.run() == Ending(4, f"refused: both taken ({code})")
    assert len(running.heard) == 1


async def test_a_lost_connection_is_resumed_with_the_token_without_settings(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def dropping(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        connection.transport.abort()

    async def ending(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.close(4002, "idle")

    running = RunningSession(await scripted(dropping, ending))
    assert await running.run() == Ending(0, "the room was closed: idle")
    assert joins[1] == Join(name="ada", token="token-X")
    assert joins[1].model_fields_set == {"type", "name", "token"}
    assert len(running.pauses) == 1
    assert running.notes[0].startswith("the connection was lost; trying again in 0.")


async def test_a_spectator_resumes_as_a_spectator(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def restarting(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room(), None))
        await connection.close(1012)

    async def ending(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await connection.close(4002)

    join = Join(role=Role.SPECTATOR, settings=GivenSettings(games=3), claim_key=KEY)
    running = RunningSession(await scripted(restarting, ending), join, remembered="not mine")
    await running.run()
    assert joins[0] == join
    assert joins[1] == Join(role=Role.SPECTATOR, claim_key=KEY)


async def test_a_spectator_who_is_not_known_any_more_joins_anew(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def restarting(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        told = welcome(room(), None)
        known = replace(told.you, watch=Token("secret"))
        await send(connection, told.model_copy(update={"you": known}))
        await connection.close(1012)

    async def forgetting(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, Refused(code=RefusalCode.BAD_TOKEN, reason="", command="join"))
        joins.append(await joined(connection))
        await connection.close(4002)

    join = Join(role=Role.SPECTATOR, password="sesame", claim_key=KEY)
    running = RunningSession(await scripted(restarting, forgetting), join)
    await running.run()
    assert joins == [join, Join(role=Role.SPECTATOR, watch="secret"), join]
    assert running.notes[-1] == "the room does not remember us; joining again"


async def test_the_pause_that_the_goodbye_asks_for_is_kept(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def restarting(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await send(connection, Goodbye(code=1012, reason="restarting", retry_after_s=7))
        await connection.close(1012)

    async def ending(connection: ServerConnection) -> None:
        await connection.close(4002)

    running = RunningSession(await scripted(restarting, ending))
    await running.run()
    assert running.pauses == [7]
    assert running.notes == ["the connection was lost: restarting; trying again in 7.0 s"]


async def test_after_a_good_connection_pauses_begin_again_from_the_first(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_client.net.session.STEADY_S", 0)

    async def dropping(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        connection.transport.abort()

    async def ending(connection: ServerConnection) -> None:
        await connection.close(4002)

    running = RunningSession(await scripted(dropping, dropping, dropping, dropping, ending))
    await running.run()
    assert len(running.pauses) == 4
    assert max(running.pauses) < 2 * min(running.pauses)


async def test_a_server_that_cannot_now_is_asked_again(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def dropping(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        connection.transport.abort()

    async def busy(connection: ServerConnection) -> None:
        await joined(connection)
        full = Refused(command="join", code=RefusalCode.SERVER_FULL, reason="full")
        await send(connection, full)
        await connection.wait_closed()

    async def ending(connection: ServerConnection) -> None:
        await connection.close(4002)

    running = RunningSession(await scripted(dropping, busy, ending))
    assert (await running.run()).code == 0
    assert running.tokens.token == "token-X"
    assert len(running.pauses) == 2


@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        (4001, 1, "your seat is played from another connection now: why"),
        (4002, 0, "the room was closed: why"),
        (1000, 0, "the server ended the connection: why"),
        (1008, 1, "the server cut the connection: why"),
    ],
)
async def test_some_closes_are_the_end(
    code: int,
    exit_code: int,
    words: str,
    scripted: Start,
    room: MakeRoom,
    welcome: MakeWelcome,
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await connection.close(code, "why")

    running = RunningSession(await scripted(script))
    assert await running.run() == Ending(exit_code, words)
    assert running.pauses == []


async def test_a_join_that_came_too_late_is_told_so(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await connection.close(1008, "this is against the rules of the server")

    end = await RunningSession(await scripted(script)).run()
    assert end == Ending(1, "the server cut the connection: no join came in time")


async def test_a_close_before_the_welcome_is_no_server_reached(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await connection.close(1012, "restarting")

    running = RunningSession(await scripted(script))
    why = "the server closed the connection before letting us in: restarting"
    assert await running.run() == Ending(3, why)
    assert len(running.notes) in {4, 5}  # it dials again for ten seconds
    assert running.notes[0].startswith(why)


async def test_a_lobby_that_closes_at_once_is_no_server_reached(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await connection.close(1012, "restarting")

    running = RunningSession(await scripted(script), None)
    assert (await running.run()).code == 3
    assert running.pauses == []


async def test_a_join_whose_welcome_was_lost_is_sent_again_with_its_key(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def losing(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        connection.transport.abort()

    async def busy(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, Refused(command="join", code=RefusalCode.SERVER_FULL, reason="full"))

    async def ending(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.close(4002)

    running = RunningSession(await scripted(losing, busy, ending))
    assert (await running.run()).code == 0
    assert joins == [JOIN, JOIN, JOIN]


async def test_an_older_server_is_asked_again_without_the_key(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def older(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        reason = "claim_key: there is no such field"
        await send(connection, Refused(command="join", code=RefusalCode.BAD_COMMAND, reason=reason))
        joins.append(await joined(connection))
        await send(connection, welcome(room()))
        await connection.close(4002)

    running = RunningSession(await scripted(older))
    assert (await running.run()).code == 0
    assert joins == [JOIN, JOIN.model_copy(update={"claim_key": None})]


async def test_a_server_that_refuses_a_join_twice_is_believed(scripted: Start) -> None:
    async def odd(connection: ServerConnection) -> None:
        for _ in range(2):
            await joined(connection)
            reason = "claim_key: it is bad"
            await send(
                connection, Refused(command="join", code=RefusalCode.BAD_COMMAND, reason=reason)
            )

    assert (await RunningSession(await scripted(odd)).run()).code == 4


@pytest.mark.parametrize(
    ("status", "exit_code"), [(404, 4), (400, 4), (403, 4), (503, 3), (500, 3), (429, 3)]
)
async def test_a_refused_upgrade_ends_the_first_try(
    status: int, exit_code: int, scripted: Start
) -> None:
    async def script(_: ServerConnection) -> None:
        raise AssertionError("no connection")

    def refuse(connection: ServerConnection, _: Request) -> Response:
        return connection.respond(status, "no\n")

    end = await RunningSession(await scripted(script, process_request=refuse)).run()
    assert end.code == exit_code
    assert end.words is not None
    assert f"(HTTP {status})" in end.words


async def test_a_full_server_is_asked_again_after_what_it_says(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    answers = iter([None, 503, 404])

    async def dropping(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        connection.transport.abort()

    def refuse(connection: ServerConnection, _: Request) -> Response | None:
        if (status := next(answers)) is None:
            return None
        response = connection.respond(status, "no\n")
        response.headers["Retry-After"] = "9"
        return response

    running = RunningSession(await scripted(dropping, process_request=refuse))
    assert (await running.run()).code == 4
    assert running.pauses[1] == 9


async def test_an_unreachable_server_is_told_in_words() -> None:
    end = await RunningSession("ws://127.0.0.1:1").run()
    assert end == Ending(3, "cannot reach the server: Connection refused")


async def test_it_tries_for_as_long_as_the_room_may_be_there(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await send(connection, Goodbye(code=1012, reason="restarting", retry_after_s=50_000))
        await connection.close(1012)

    running = RunningSession(await scripted(script))
    assert await running.run() == Ending(3, "the server has been away for too long")
    assert running.pauses == [50_000, 50_000]


async def test_the_lobby_is_not_joined(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await send(connection, Rooms(rooms=()))
        await connection.close(1000)

    running = RunningSession(await scripted(script), None)
    assert (await running.run()).code == 0
    assert [heard.message for heard in running.heard] == [Rooms(rooms=())]


async def test_changes_of_the_lobby_are_told_as_the_list_after_them(scripted: Start) -> None:
    den, lair = build_summary("den"), build_summary("lair")

    async def script(connection: ServerConnection) -> None:
        await send(connection, Rooms(rooms=(den,)))
        await send(connection, RoomsChanged(rooms=(lair,), gone=(den.name,)))
        await connection.close(1000)

    running = RunningSession(await scripted(script), None)
    assert (await running.run()).code == 0
    first, second = running.heard
    assert (first.message, second.message) == (Rooms(rooms=(den,)), Rooms(rooms=(lair,)))
    assert "rooms_changed" in second.raw


async def test_leaving_forgets_the_token_and_ends(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        assert isinstance(decode_command(await connection.recv()), Leave)
        await connection.close(1000, "bye")

    running = RunningSession(await scripted(script))
    with pytest.raises(NotConnected):
        await running.session.leave()
    task = asyncio.create_task(running.run())
    await running.welcomed.wait()
    await running.session.leave()
    assert running.tokens.token is not None, "the server has not said yet that it heard it"
    assert await task == Ending(0, "you left the room")
    assert running.tokens.token is None


@pytest.mark.parametrize("code", [None, 1012])
async def test_a_seat_is_not_given_up_until_the_server_says_so(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome, code: int | None
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await connection.recv()
        if code is None:
            connection.transport.abort()
        else:
            await connection.close(code)

    running = RunningSession(await scripted(script))
    task = asyncio.create_task(running.run())
    await running.welcomed.wait()
    await running.session.leave()
    lost = "the connection was lost before the server said that you left"
    assert await task == Ending(1, f"{lost}; the token of your seat is kept")
    assert running.tokens.token == "token-X"


async def test_a_spectator_has_left_when_the_connection_is_gone(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room(), None))
        await connection.recv()
        connection.transport.abort()

    running = RunningSession(await scripted(script), Join(role=Role.SPECTATOR))
    task = asyncio.create_task(running.run())
    await running.welcomed.wait()
    await running.session.leave()
    assert await task == Ending(0, "you left the room")


class Parting:
    """A server that has a `join`, and answers it when the client is about to end."""

    def __init__(self, answer: Message | None) -> None:
        self.has_join, self.may_answer = asyncio.Event(), asyncio.Event()
        self.left = asyncio.Event()
        self._answer = answer

    async def __call__(self, connection: ServerConnection) -> None:
        await joined(connection)
        self.has_join.set()
        await self.may_answer.wait()
        if self._answer is not None:
            await send(connection, self._answer)
        async for command in connection:
            if isinstance(decode_command(command), Leave):
                self.left.set()

    async def ends(self, running: RunningSession) -> None:
        """Run the session, and cancel it before the answer."""
        run = asyncio.create_task(running.run())
        await self.has_join.wait()
        run.cancel()
        await asyncio.sleep(0)
        self.may_answer.set()
        with pytest.raises(asyncio.CancelledError):
            await run


async def test_a_seat_that_is_given_at_the_end_is_remembered(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    server = Parting(welcome(room()))
    running = RunningSession(await scripted(server))
    await server.ends(running)
    assert running.tokens.token == "token-X"
    assert not server.left.is_set()
    assert running.heard == [], "the caller has gone"


async def test_a_refusal_at_the_end_gives_no_seat_up(scripted: Start) -> None:
    full = Refused(command="join", code=RefusalCode.ROOM_FULL, reason="")
    server = Parting(full)
    running = RunningSession(await scripted(server))
    await server.ends(running)
    assert running.tokens.token is None
    assert not server.left.is_set()


async def test_a_seat_without_a_welcome_at_the_end_is_given_up(
    scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "PARTING_S", 0.05)
    server = Parting(None)
    running = RunningSession(await scripted(server))
    await server.ends(running)
    async with asyncio.timeout(20):
        await server.left.wait()


@pytest.mark.parametrize(
    ("join", "remembered"), [(JOIN, "old"), (Join(role=Role.SPECTATOR), None), (None, None)]
)
async def test_nothing_is_waited_for_at_the_end_where_no_seat_can_be_lost(
    scripted: Start, monkeypatch: pytest.MonkeyPatch, join: Join | None, remembered: str | None
) -> None:
    monkeypatch.setattr(sessions, "PARTING_S", 3600)
    has_connected = asyncio.Event()

    async def script(connection: ServerConnection) -> None:
        has_connected.set()
        await connection.wait_closed()

    running = RunningSession(await scripted(script), join, remembered=remembered)
    run = asyncio.create_task(running.run())
    await has_connected.wait()
    await asyncio.sleep(0.02)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert running.tokens.token == remembered
