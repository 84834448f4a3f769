"""Events: their golden files, and their JSON by hand beside that of the data class."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_protocol.base import Plain, wire_type
from ttt_protocol.codec import (
    BadCommand,
    BadMessage,
    InvalidWire,
    decode_event,
    decode_log,
    encode_event,
    encode_log,
)
from ttt_protocol.codes import Choice, Reason, Unrated
from ttt_protocol.events import (
    BaseEvent,
    Chosen,
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Slept,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    Ai,
    ChatMode,
    ClockSetting,
    Human,
    Mark,
    MoveLog,
    OfferKind,
    Outcome,
    Rules,
    SessionId,
    Settings,
    TimeLeft,
)

GOLDEN = sorted((Path(__file__).parent / "golden" / "events").glob("*.json"))
KINDS: dict[str, type[BaseEvent]] = {wire_type(kind): kind for kind in get_args(get_args(Event)[0])}
TYPES = [
    "created",
    "seated",
    "left",
    "started",
    "played",
    "chosen",
    "offered",
    "declined",
    "taken_back",
    "ended",
    "renamed",
    "moderated",
    "slept",
]
LEFT = {"type": "left", "seq": 9, "at": 1767225605000, "seat": "O"}


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def test_the_union_is_that_of_the_contract() -> None:
    assert list(KINDS) == TYPES


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    event = decode_event(raw)
    assert type(event) is KINDS[path.stem.split("-")[0]]
    assert exact(encode_event(event)) == exact(raw)
    assert decode_event(encode_event(event)) == event
    assert decode_event(raw.decode()) == event


def test_every_event_and_every_field_has_a_golden_file() -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for path in GOLDEN:
        value = json.loads(path.read_bytes())
        seen[value["type"]] |= set(value)
    assert seen == {name: {field.name for field in fields(kind)} for name, kind in KINDS.items()}


def test_a_reason_is_absent_rather_than_null() -> None:
    played = {"type": "played", "seq": 1, "at": 1, "game": 1, "ply": 0, "seat": "X", "cell": 0}
    event = decode_event(json.dumps({**played, "reason": None}))
    assert json.loads(encode_event(event)) == played


def test_what_a_newer_server_stored_beside_is_ignored() -> None:
    assert decode_event(json.dumps({**LEFT, "why": {"a": [1]}})) == decode_event(json.dumps(LEFT))


@pytest.mark.parametrize("name", ["seq", "at", "seat", "type"])
def test_a_missing_field(name: str) -> None:
    rest = {key: value for key, value in LEFT.items() if key != name}
    with pytest.raises(InvalidWire, match=r"^not an event: "):
        decode_event(json.dumps(rest))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seq", 1.0),
        ("seq", True),
        ("seq", "1"),
        ("seq", None),
        ("at", 1.5),
        ("seat", "Z"),
        ("seat", None),
        ("type", "arrived"),
        ("type", 1),
    ],
)
def test_a_wrong_field(name: str, value: Any) -> None:
    with pytest.raises(InvalidWire, match=r"^not an event: "):
        decode_event(json.dumps({**LEFT, name: value}))


@pytest.mark.parametrize(
    "raw",
    ["", "[]", "1", "null", '"left"', "{", b"\xff", "\ud800", "[" * 10_000, "{} {}"],
    ids=lambda raw: ascii(raw)[:20],
)
def test_what_is_no_event(raw: str | bytes) -> None:
    with pytest.raises(InvalidWire, match=r"^not an event: ") as caught:
        decode_event(raw)
    assert not isinstance(caught.value, BadCommand | BadMessage)


NUMBERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MARKS = st.sampled_from(Mark)
OFFERS = st.sampled_from(OfferKind)
CHATS = st.sampled_from(ChatMode)
CLOCKS = st.none() | st.builds(TimeLeft, X=NUMBERS, O=NUMBERS)
OUTCOMES = st.builds(
    Outcome,
    winner=st.none() | MARKS,
    reason=st.sampled_from(Reason),
    line=st.none() | st.lists(st.integers(0, 360)).map(tuple),
)
PLAYERS = st.builds(Human, id=TEXTS.map(SessionId), name=TEXTS) | st.builds(
    Ai, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9)
)
SETTINGS = st.builds(
    Settings,
    rules=st.builds(Rules, columns=st.integers(3, 19), gravity=st.booleans()),
    clock=st.none() | st.builds(ClockSetting, initial_s=st.integers(1, 9) | st.floats(0.5, 9)),
    grace_s=st.integers(0, 9) | st.floats(0, 9),
    chat=CHATS,
)
COMMON: dict[str, Any] = {"seq": NUMBERS, "at": NUMBERS}
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        Created,
        **COMMON,
        settings=SETTINGS,
        lock=st.none() | TEXTS,
        host=st.none() | TEXTS.map(SessionId),
    ),
    st.builds(Renamed, **COMMON, seat=MARKS, name=TEXTS),
    st.builds(Moderated, **COMMON, chat=CHATS),
    st.builds(Seated, **COMMON, seat=MARKS, player=PLAYERS),
    st.builds(Left, **COMMON, seat=MARKS),
    st.builds(Started, **COMMON, game=NUMBERS),
    st.builds(
        Played,
        **COMMON,
        game=NUMBERS,
        ply=NUMBERS,
        seat=MARKS,
        cell=NUMBERS,
        reason=st.none() | TEXTS,
        clock=CLOCKS,
        log=st.none() | st.builds(MoveLog, reason=TEXTS),
    ),
    st.builds(
        Chosen,
        **COMMON,
        game=NUMBERS,
        ply=NUMBERS,
        seat=MARKS,
        choice=st.sampled_from(Choice),
        clock=CLOCKS,
    ),
    st.builds(
        Slept,
        **COMMON,
        game=NUMBERS,
        seat=MARKS,
        given_back_ms=NUMBERS,
        clock=st.builds(TimeLeft, X=NUMBERS, O=NUMBERS),
    ),
    st.builds(Offered, **COMMON, kind=OFFERS, seat=MARKS),
    st.builds(Declined, **COMMON, kind=OFFERS, seat=MARKS),
    st.builds(TakenBack, **COMMON, game=NUMBERS, ply=NUMBERS, clock=CLOCKS),
    st.builds(
        Ended,
        **COMMON,
        game=NUMBERS,
        outcome=OUTCOMES,
        detail=st.none() | TEXTS,
        clock=CLOCKS,
        unrated=st.none() | st.sampled_from(Unrated),
    ),
)


@settings(max_examples=200)
@given(EVENTS)
def test_json_by_hand_is_that_of_the_data_class(event: Event) -> None:
    assert event.to_json() == Plain.to_json(event)


@settings(max_examples=200)
@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert decode_event(encode_event(event)) == event


@pytest.mark.parametrize("thought", ["\r\x08", "first\x1e\x08", "two\nlines\n"])
def test_a_cleaned_thought_is_clean(thought: str) -> None:
    once = MoveLog(reason=thought)
    assert MoveLog(reason=once.reason) == once


def test_a_log_comes_back_as_it_was() -> None:
    log = Started(1, 2, game=1), Played(2, 3, 1, 0, Mark.X, 4)
    assert decode_log(encode_log(log)) == log


def test_events_of_two_kinds_are_never_equal() -> None:
    offered: Event = Offered(1, 2, OfferKind.DRAW, Mark.X)
    declined: Event = Declined(1, 2, OfferKind.DRAW, Mark.X)
    assert offered != declined
    assert offered == Offered(1, 2, OfferKind.DRAW, Mark.X)


def test_a_hash_of_a_password_is_not_shown() -> None:
    assert "salt.hash" not in repr(Created(1, 2, Settings(), "salt.hash"))
