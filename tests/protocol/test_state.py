"""The shared nouns. Their golden files are rooms; `room.json` is the example of the contract."""

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from ttt_protocol import events, state
from ttt_protocol.base import FromClient, FromServer, Plain, wire_names
from ttt_protocol.codec import (
    decode_command,
    decode_event,
    decode_message,
    decode_room,
    encode_message,
)
from ttt_protocol.codes import Reason
from ttt_protocol.events import BaseEvent
from ttt_protocol.state import (
    MAX_FRAME,
    SUBPROTOCOL,
    AiSeat,
    AiSetting,
    BySeat,
    ChatMode,
    ClockSetting,
    GivenSettings,
    HumanSeat,
    InvalidRoomName,
    Mark,
    OfferKind,
    Offers,
    Role,
    Rules,
    Score,
    SeatSettings,
    SessionId,
    Settings,
    Status,
    TimeLeft,
    Token,
    You,
    parse_room_name,
)
from ttt_protocol.tournament.settings import TournamentSettings

GOLDEN = Path(__file__).parent / "golden"
ROOMS = sorted((GOLDEN / "state").glob("*.json"))


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def kinds(base: type[BaseModel]) -> set[type[BaseModel]]:
    """Return the models of the protocol with this base; a test may have loaded others."""
    own = [kind for kind in base.__subclasses__() if kind.__module__.startswith("ttt_protocol.")]
    return {base}.union(*map(kinds, own))


def plain() -> set[type[Plain]]:
    each = [*vars(state).values(), *vars(events).values()]
    return {kind for kind in each if isinstance(kind, type) and issubclass(kind, Plain)}


def nested(value: Any) -> list[BaseModel | Plain]:
    """Every model and data class inside `value`."""
    if isinstance(value, BaseModel | Plain):
        inner = [getattr(value, name) for name in wire_names(type(value))]
        return [value, *(each for one in inner for each in nested(one))]
    if isinstance(value, tuple):
        return [model for one in value for model in nested(one)]
    return []


def goldens() -> list[Any]:
    return [
        *(decode_command(path.read_bytes()) for path in (GOLDEN / "commands").glob("*.json")),
        *(decode_event(path.read_bytes()) for path in (GOLDEN / "events").glob("*.json")),
        *(decode_message(path.read_bytes()) for path in (GOLDEN / "messages").glob("*.json")),
        *(decode_room(path.read_bytes()) for path in ROOMS),
    ]


def test_the_numbers_and_names_of_the_transport() -> None:
    assert SUBPROTOCOL == "ttt.v1"
    assert MAX_FRAME == 4096


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.stem)
def test_a_room_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    assert exact(encode_message(decode_room(raw))) == exact(raw)


def test_the_example_of_the_contract_is_what_it_looks_like() -> None:
    room = decode_room((GOLDEN / "state" / "room.json").read_bytes())
    assert room.status is Status.PLAYING
    assert room.settings.seats[Mark.O] == AiSetting(strategy="minimax", level=9)
    assert isinstance(room.seats[Mark.X], HumanSeat)
    assert isinstance(room.seats[Mark.O], AiSeat)
    assert room.game is not None
    assert room.game.moves == (0, 4)


# Names of rooms


@pytest.mark.parametrize("name", ["a", "0", "room42", "a-b", "a-", "9" * 32, "a--b"])
def test_room_names(name: str) -> None:
    assert parse_room_name(name) == name


def test_upper_case_is_folded() -> None:
    assert parse_room_name("Room-A") == "room-a"


@pytest.mark.parametrize(
    "name",
    ["", "-", "-a", "a" * 33, "a b", "a_b", "a/b", "a.b", "a\n", "\na", "é", "ß", "\u212a", "1²"],
    ids=ascii,
)
def test_no_room_names(name: str) -> None:
    with pytest.raises(InvalidRoomName) as caught:
        parse_room_name(name)
    assert isinstance(caught.value, ValueError)
    assert not name.strip("-\n") or name not in str(caught.value).split()


# Words


def test_the_other_mark() -> None:
    assert Mark.X.other is Mark.O
    assert Mark.O.other is Mark.X


def test_the_words_of_the_contract() -> None:
    assert list(Mark) == ["X", "O"]
    assert list(Role) == ["player", "spectator"]
    assert list(Status) == ["waiting", "playing", "finished"]
    assert list(OfferKind) == ["draw", "takeback", "rematch"]


# Settings


def test_the_defaults_of_the_contract() -> None:
    defaults = {
        "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
        "seats": {"X": "human", "O": "human"},
        "clock": None,
        "grace_s": 60,
        "public": True,
        "spectators": True,
        "hints": False,
        "games": 1,
        "pace_s": 0,
    }
    assert Settings().model_dump(mode="json") == defaults
    # Whether a human sits there decides the pace.
    given = {**defaults, "pace_s": None, "chat": "all", "password": None}
    assert GivenSettings().model_dump(mode="json") == given


def test_a_room_where_all_may_chat_does_not_say_so() -> None:
    assert Settings().chat is ChatMode.ALL
    assert b"chat" not in encode_message(Settings())
    assert b'"chat":"off"' in encode_message(Settings(chat=ChatMode.OFF))


def test_given_settings_tell_which_were_given() -> None:
    given = GivenSettings.model_validate_json('{"hints": false, "rules": {}}')
    assert given.model_fields_set == {"hints", "rules"}
    assert not GivenSettings().model_fields_set


@pytest.mark.parametrize(
    ("columns", "rows", "in_a_row"),
    [(3, 3, 3), (19, 19, 19), (3, 19, 19), (19, 3, 19), (7, 6, 4), (4, 3, 4)],
)
def test_rules(columns: int, rows: int, in_a_row: int) -> None:
    rules = Rules(columns=columns, rows=rows, in_a_row=in_a_row)
    assert (rules.columns, rules.rows, rules.in_a_row) == (columns, rows, in_a_row)


@pytest.mark.parametrize(
    ("columns", "rows", "in_a_row"),
    [(2, 3, 3), (3, 2, 3), (20, 3, 3), (3, 20, 3), (3, 3, 2), (3, 3, 4), (19, 18, 20), (7, 6, 8)],
)
def test_no_rules(columns: int, rows: int, in_a_row: int) -> None:
    with pytest.raises(ValidationError):
        Rules(columns=columns, rows=rows, in_a_row=in_a_row)


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 0},
        {"games": 1001},
        {"grace_s": -1},
        {"grace_s": float("nan")},
        {"pace_s": -0.5},
        {"pace_s": float("inf")},
        {"delay_s": 3600.5},
        {"delay_s": float("nan")},
        {"public": 1},
        {"clock": {"initial_s": 0}},
        {"clock": {"initial_s": 60, "increment_s": -1}},
        {"clock": {"increment_s": 1}},
        {"rules": {"depth": 3}},
        {"seats": {"X": "robot"}},
        {"seats": {"Z": "human"}},
        {"seats": {"X": {"strategy": "minimax", "level": 10}}},
        {"seats": {"X": {"strategy": "minimax", "level": -1}}},
        {"seats": {"X": {"strategy": ""}}},
        {"seats": {"X": {"level": 1}}},
        {"password": ""},
        {"passwort": "x"},
        {"chat": "none"},
    ],
    ids=str,
)
def test_no_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        GivenSettings.model_validate(settings)


def test_seconds_may_have_a_fraction_and_stay_what_they_were() -> None:
    clock = ClockSetting.model_validate_json('{"initial_s": 90, "increment_s": 1.0}')
    assert encode_message(clock) == b'{"initial_s":90,"increment_s":1.0}'


@pytest.mark.parametrize("settings", [Settings, ClockSetting, TournamentSettings])
def test_all_seconds_that_are_set_may_have_a_fraction(settings: type[BaseModel]) -> None:
    needed = {"initial_s": 60, "form": "arena"}
    for name in (name for name in settings.model_fields if name.endswith("_s")):
        words = {key: needed[key] for key in needed.keys() & settings.model_fields.keys()}
        made = settings.model_validate_json(json.dumps(words | {name: 1.5}))
        assert json.loads(encode_message(made))[name] == 1.5


def test_seats_by_mark() -> None:
    ai = AiSetting(strategy="random")
    mixed = SeatSettings(O=ai)
    assert mixed[Mark.X] == "human"
    assert mixed[Mark.O] == ai
    assert not mixed.all_ai
    assert not SeatSettings(X=ai).all_ai
    assert SeatSettings(X=ai, O=ai).all_ai
    assert not SeatSettings().all_ai
    assert SeatSettings().all_human
    assert not mixed.all_human
    assert not SeatSettings(X=ai).all_human
    assert not SeatSettings(O=ai).all_human


def test_one_for_each_seat() -> None:
    ages = BySeat[int](X=1, O=2)
    assert ages[Mark.X] == 1
    assert ages[Mark.O] == 2


def test_time_left_is_told_and_changed_by_mark() -> None:
    left = TimeLeft(X=1, O=2).with_(Mark.O, 3)
    assert [left[mark] for mark in Mark] == [1, 3]


@pytest.mark.parametrize("kind", OfferKind)
def test_offers_by_kind(kind: OfferKind) -> None:
    offers = Offers(**{kind.value: Mark.O})
    assert {other: offers[other] for other in OfferKind} == {
        other: Mark.O if other is kind else None for other in OfferKind
    }


def test_there_are_no_other_offers() -> None:
    with pytest.raises(AttributeError):
        Offers()["resign"]  # type: ignore[index]  # a fault of ours, told as one


def test_a_score_begins_at_nothing() -> None:
    assert asdict(Score()) == {"X": 0, "O": 0, "draws": 0}


@pytest.mark.parametrize(
    "value",
    [
        Score(X=3, O=12, draws=1),
        Offers(),
        Offers(draw=Mark.X, rematch=Mark.O),
        Offers(takeback=Mark.O),
    ],
)
def test_json_by_hand_is_that_of_the_data_class(value: Plain) -> None:
    assert value.to_json() == Plain.to_json(value)


@pytest.mark.parametrize("reason", Reason)
def test_an_outcome_without_a_line_says_so(reason: Reason) -> None:
    room = json.loads((GOLDEN / "state" / "room-finished.json").read_bytes())
    room["game"]["outcome"] = {"winner": None, "reason": reason.value, "line": None}
    raw = json.dumps(room)
    assert exact(encode_message(decode_room(raw))) == exact(raw)


# What holds for all


@pytest.mark.parametrize("kind", sorted(kinds(FromClient), key=str))
def test_what_is_given_is_strict_frozen_and_closed(kind: type[BaseModel]) -> None:
    assert kind.model_config.get("frozen")
    assert kind.model_config.get("strict")
    assert kind.model_config.get("extra") == "forbid"


@pytest.mark.parametrize("kind", sorted(plain(), key=str))
def test_a_data_class_is_strict_and_open(kind: type[Plain]) -> None:
    assert kind.__pydantic_config__.get("strict")
    assert kind.__pydantic_config__.get("extra") == "ignore"
    assert "__dict__" not in dir(kind)


@pytest.mark.parametrize("kind", sorted(kinds(FromServer), key=str))
def test_what_is_told_is_strict_frozen_and_open(kind: type[BaseModel]) -> None:
    assert kind.model_config.get("frozen")
    assert kind.model_config.get("strict")
    assert kind.model_config.get("extra") == "ignore"


def test_nothing_can_be_assigned() -> None:
    values = {type(value): value for golden in goldens() for value in nested(golden)}
    assert len(values) > 40
    for kind, value in values.items():
        if issubclass(kind, BaseEvent | BySeat):
            continue  # see there
        for name in wire_names(kind):
            with pytest.raises((ValidationError, FrozenInstanceError)):
                setattr(value, name, getattr(value, name))


@pytest.mark.parametrize("show", [repr, str])
def test_secrets_are_not_shown(show: Callable[[object], str]) -> None:
    token = Token("xyzzy")
    you = You(
        id=SessionId("i"), role=Role.PLAYER, seat=Mark.X, name="ada", token=token, watch=token
    )
    assert "ada" in show(you)
    assert "xyzzy" not in show(you)
    assert "xyzzy" not in show(GivenSettings(password="xyzzy"))


def test_whose_token_it_is_is_said_even_if_nobodys() -> None:
    nobody = You(id=None, role=Role.SPECTATOR, seat=None, name="guest", token=None)
    assert json.loads(encode_message(nobody)) == {
        "id": None,
        "role": "spectator",
        "seat": None,
        "name": "guest",
        "token": None,
    }
    with pytest.raises(TypeError):
        You(role=Role.SPECTATOR, name="guest")  # type: ignore[call-arg]
