import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_protocol.base import FromServer, wire_names, wire_type
from ttt_protocol.codec import BadMessage, decode_message, encode_event, encode_message
from ttt_protocol.codes import CloseCode, Opening, Reason, RefusalCode
from ttt_protocol.events import Played, Started
from ttt_protocol.messages import (
    Goodbye,
    Hint,
    Message,
    Presence,
    Refused,
    Said,
    Update,
    Welcome,
    encode_presence,
    encode_update,
    encode_welcome,
)
from ttt_protocol.state import (
    AiSeat,
    BySeat,
    ChatMode,
    Clock,
    ClockSetting,
    Game,
    HumanSeat,
    Mark,
    Offers,
    Outcome,
    Role,
    RoomName,
    RoomState,
    Rules,
    Score,
    SessionId,
    Settings,
    Status,
    Token,
    You,
)

FOLDER = Path(__file__).parent / "golden" / "messages"
GOLDEN = sorted(FOLDER.glob("*.json"))
KINDS: dict[str, type[FromServer]] = {
    wire_type(kind): kind for kind in get_args(get_args(Message)[0])
}
TYPES = ["welcome", "update", "presence", "refused", "hint", "said", "goodbye", "rooms"]
TYPES += ["rooms_changed", "cleared", "reading", "ai_offered", "paired"]
REQUIRED = {
    "welcome": ["server", "you", "room"],
    "update": ["events", "room"],
    "presence": ["seats", "spectators"],
    "refused": ["command", "code", "reason"],
    "hint": ["best", "values", "reason"],
    "said": ["name", "role", "text"],
    "goodbye": ["code", "reason"],
    "rooms": ["rooms"],
    "rooms_changed": ["rooms", "gone"],
    "cleared": [],
    "reading": ["seq"],
    "ai_offered": ["strategy", "level"],
    "paired": ["room", "token", "seat", "within_s"],
}


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def golden(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return value


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, but a hint's `values`, whose keys are cells."""
    if isinstance(value, dict):
        yield value
        for key, inner in value.items():
            if key != "values":
                yield from objects(inner)
    if isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def sent_fields(kind: type[FromServer]) -> set[str]:
    return set(wire_names(kind).values())


def test_the_union_is_that_of_the_contract() -> None:
    assert list(KINDS) == TYPES == list(REQUIRED)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    message = decode_message(raw)
    assert type(message) is KINDS[path.stem.split("-")[0]]
    assert exact(encode_message(message)) == exact(raw)
    assert decode_message(encode_message(message)) == message
    assert decode_message(raw.decode()) == message


def test_every_message_and_every_field_has_a_golden_file() -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for path in GOLDEN:
        value = json.loads(path.read_bytes())
        seen[value["type"]] |= set(value)
    assert seen == {name: sent_fields(kind) for name, kind in KINDS.items()}


def test_a_room_in_a_message_is_the_example_of_the_contract() -> None:
    room = json.loads((FOLDER.parent / "state" / "room.json").read_bytes())
    names = ["welcome", "welcome-spectator", "update", "update-the_same_again", "refused-room"]
    assert [golden(name)["room"] for name in names] == [room] * len(names)


def test_what_is_not_given_is_absent_and_what_is_nobodys_is_null() -> None:
    refused = Refused(command=None, code=RefusalCode.BAD_JSON, reason="r", id=None, room=None)
    assert encode_message(refused) == (
        b'{"type":"refused","command":null,"code":"bad_json","reason":"r"}'
    )
    goodbye = Goodbye(code=CloseCode.BYE, reason="bye", retry_after_s=None)
    assert encode_message(goodbye) == b'{"type":"goodbye","code":1000,"reason":"bye"}'
    hint = Hint(best=(), values={"4": None}, reason="")
    assert encode_message(hint) == b'{"type":"hint","best":[],"values":{"4":null},"reason":""}'


def test_no_legal_cell_is_said_as_such() -> None:
    refused = Refused(command="play", code=RefusalCode.CELL_TAKEN, reason="r", legal=())
    assert json.loads(encode_message(refused))["legal"] == []


def test_a_welcome_speaks_this_protocol() -> None:
    welcome = decode_message((FOLDER / "welcome.json").read_bytes())
    assert isinstance(welcome, Welcome)
    again = Welcome(server=welcome.server, you=welcome.you, room=welcome.room)
    assert again == welcome
    assert again.protocol == "ttt.v1"


@pytest.mark.parametrize("show", [repr, str])
def test_no_message_shows_a_token(show: Any) -> None:
    value = golden("welcome")
    value["you"]["token"] = value["you"]["watch"] = "xyzzy"
    assert "xyzzy" not in show(decode_message(json.dumps(value)))
    paired = json.dumps(golden("paired") | {"token": "xyzzy"})
    assert "xyzzy" not in show(decode_message(paired))


def test_what_a_server_of_before_said_is_the_same_to_the_byte() -> None:
    said = Said(name="ada", role=Role.PLAYER, text="hi")
    assert encode_message(said) == b'{"type":"said","name":"ada","role":"player","text":"hi"}'
    assert b"feed" not in encode_message(decode_message((FOLDER / "welcome.json").read_bytes()))


def test_from_is_named_so_on_the_wire_alone() -> None:
    said = decode_message(json.dumps(golden("said-from")))
    assert isinstance(said, Said)
    assert said.from_ == "w7h2mz4c"
    assert Said(name="a", role=Role.PLAYER, text="b", from_=SessionId("c")).from_ == "c"
    renamed = {**golden("said"), "from_": "x"}
    assert decode_message(json.dumps(renamed)) == decode_message(json.dumps(golden("said")))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_a_newer_server_adds_is_ignored_at_every_depth(path: Path) -> None:
    message = decode_message(path.read_bytes())
    value = json.loads(path.read_bytes())
    for place in list(objects(value)):
        place["weather"] = {"sun": [1, None], "rain": "some"}
    assert decode_message(json.dumps(value)) == message


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in REQUIRED.items() for field in fields]
)
def test_a_missing_field_is_no_message(kind: str, field: str) -> None:
    value = golden(kind)
    del value[field]
    with pytest.raises(BadMessage, match=field):
        decode_message(json.dumps(value))


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("presence", "spectators", 1.0),
        ("presence", "spectators", True),
        ("presence", "spectators", "1"),
        ("presence", "seats", {"X": True}),
        ("presence", "seats", {"X": 1, "O": 0}),
        ("refused", "code", "no_such_code"),
        ("refused", "command", 1),
        ("refused", "legal", [1.0]),
        ("refused", "legal", 1),
        ("hint", "best", ["4"]),
        ("hint", "values", {"4": 2}),
        ("hint", "values", {"4": "1"}),
        ("hint", "values", []),
        ("said", "role", "owner"),
        ("said", "text", None),
        ("goodbye", "code", "1000"),
        ("goodbye", "code", 1000.0),
        ("goodbye", "retry_after_s", "5"),
        ("goodbye", "retry_after_s", float("nan")),
        ("goodbye", "retry_after_s", float("inf")),
        ("update", "events", {}),
        ("update", "events", [{"type": "arrived", "seq": 1, "at": 1}]),
        ("update", "room", None),
        ("welcome", "you", None),
        ("rooms", "rooms", [None]),
        ("rooms_changed", "gone", "a"),
        ("rooms_changed", "total", "7"),
        ("rooms", "total", 1.5),
        ("rooms", "seeking", [{}]),
        ("rooms_changed", "seeking", 1),
        ("said", "from", 1),
        ("welcome", "feed", [None]),
        ("ai_offered", "level", "5"),
        ("paired", "seat", "Z"),
    ],
)
def test_a_wrong_field_is_no_message(kind: str, field: str, wrong: Any) -> None:
    with pytest.raises(BadMessage, match=field):
        decode_message(json.dumps({**golden(kind), field: wrong}))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        "{",
        "{}",
        "[]",
        "null",
        "1",
        '"welcome"',
        '{"type": "applause"}',
        '{"type": 1}',
        '{"type": "join"}',
        '{"type": "said", "name": "a", "role": "player", "text": "b"} x',
        b"\xff",
        b'{"type": "said", "name": "\xff", "role": "player", "text": "b"}',
        "\ud800",
        "[" * 10_000,
        '{"a":' * 10_000,
    ],
    ids=lambda raw: ascii(raw)[:30],
)
def test_what_is_no_message(raw: str | bytes) -> None:
    with pytest.raises(BadMessage, match=r"^not a message of this protocol: "):
        decode_message(raw)


NUMBERS = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.integers(0, 2**53)
MAYBE = st.none() | COUNTS
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MARKS = st.sampled_from(Mark)
MAYBE_MARKS = st.none() | MARKS
CELLS = st.lists(st.integers(0, 360)).map(tuple)
OUTCOMES = st.builds(
    Outcome, winner=MAYBE_MARKS, reason=st.sampled_from(Reason), line=st.none() | CELLS
)
CLOCKS = st.builds(Clock, X=NUMBERS, O=NUMBERS, running=MAYBE_MARKS)
SEATS = (
    st.none()
    | st.builds(
        HumanSeat,
        id=TEXTS.map(SessionId),
        name=TEXTS,
        bot=st.booleans(),
        connected=st.booleans(),
        away_since=MAYBE,
    )
    | st.builds(AiSeat, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9))
)
SETTINGS = st.builds(
    Settings,
    rules=st.builds(Rules, columns=st.integers(3, 19), gravity=st.booleans(), exact=st.booleans()),
    opening=st.sampled_from(Opening),
    clock=st.none() | st.builds(ClockSetting, initial_s=st.integers(1, 9) | st.floats(0.5, 9)),
    grace_s=st.integers(0, 9) | st.floats(0, 9),
    hints=st.booleans(),
    chat=st.sampled_from(ChatMode),
)
GAMES = st.integers(0, 40).flatmap(
    lambda ply: st.builds(
        Game,
        number=COUNTS,
        board=st.text(".XO", min_size=9, max_size=361),
        turn=st.just(Mark.O if ply % 2 else Mark.X) | MARKS,
        ply=st.just(ply),
        moves=st.lists(st.integers(0, 360), min_size=ply, max_size=ply).map(tuple),
        outcome=st.none() | OUTCOMES,
        clock=st.none() | CLOCKS,
    )
)
STATES = st.builds(
    RoomState,
    name=st.from_regex("[a-z0-9][a-z0-9-]{0,31}", fullmatch=True).map(RoomName),
    seq=COUNTS,
    status=st.sampled_from(Status),
    locked=st.booleans(),
    settings=SETTINGS,
    seats=st.builds(BySeat, X=SEATS, O=SEATS),
    game=st.none() | GAMES,
    offers=st.builds(Offers, draw=MAYBE_MARKS, takeback=MAYBE_MARKS, rematch=MAYBE_MARKS),
    score=st.builds(Score, X=COUNTS, O=COUNTS, draws=COUNTS),
    spectators=COUNTS,
    chat=st.sampled_from(ChatMode),
)
YOUS = st.builds(
    You,
    id=st.none() | TEXTS.map(SessionId),
    role=st.sampled_from(Role),
    seat=MAYBE_MARKS,
    name=TEXTS,
    token=st.none() | TEXTS.map(Token),
    from_=st.none() | TEXTS.map(SessionId),
    host=st.sampled_from([None, True]),
    watch=st.none() | TEXTS.map(Token),
)
FEEDS = st.lists(
    st.builds(Said, name=TEXTS, role=st.sampled_from(Role), text=TEXTS, at=st.none() | COUNTS),
    max_size=3,
).map(tuple)
MUTED = st.lists(TEXTS.map(SessionId), max_size=2).map(tuple)
EVENTS = st.builds(Started, seq=COUNTS, at=COUNTS, game=COUNTS) | st.builds(
    Played, seq=COUNTS, at=COUNTS, game=COUNTS, ply=COUNTS, seat=MARKS, cell=COUNTS, reason=TEXTS
)


@given(st.booleans(), st.booleans(), COUNTS)
def test_a_presence(x: bool, o: bool, spectators: int) -> None:
    presence = Presence(seats=BySeat(X=x, O=o), spectators=spectators)
    assert encode_presence(x, o, spectators) == encode_message(presence)


@given(STATES, st.lists(EVENTS, max_size=3))
def test_any_update(room: RoomState, events: list[Any]) -> None:
    update = Update(events=tuple(events), room=room)
    assert encode_update(map(encode_event, events), encode_message(room)) == encode_message(update)


@given(STATES, YOUS, TEXTS, MAYBE, FEEDS, MUTED)
def test_any_welcome(
    room: RoomState,
    you: You,
    server: str,
    at: int | None,
    feed: tuple[Said, ...],
    muted: tuple[SessionId, ...],
) -> None:
    welcome = Welcome(server=server, you=you, at=at, feed=feed, muted=muted, room=room)
    lines = map(encode_message, feed)
    made = encode_welcome(server, you, encode_message(room), at, lines, muted)
    assert made == encode_message(welcome)


def test_the_update_of_a_golden_file() -> None:
    update = decode_message((FOLDER / "update.json").read_bytes())
    assert isinstance(update, Update)
    made = encode_update(map(encode_event, update.events), encode_message(update.room))
    assert made == encode_message(update)


@pytest.mark.parametrize("name", ["welcome", "welcome-host", "welcome-spectator", "welcome-watch"])
def test_the_welcome_of_a_golden_file(name: str) -> None:
    welcome = decode_message((FOLDER / f"{name}.json").read_bytes())
    assert isinstance(welcome, Welcome)
    you, lines = welcome.you, map(encode_message, welcome.feed)
    room, muted = encode_message(welcome.room), welcome.muted
    made = encode_welcome(welcome.server, you, room, welcome.at, lines, muted)
    assert made == encode_message(welcome)
