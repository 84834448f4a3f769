import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from ttt_protocol.base import _NotNull
from ttt_protocol.codec import BadCommand, decode_command, encode_command
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import BaseCommand, Command, Join, Moderate, Play, Say
from ttt_protocol.state import (
    ModerationAction,
    Role,
    SessionId,
)

GOLDEN = sorted((Path(__file__).parent / "golden" / "commands").glob("*.json"))
KINDS: dict[str, type[BaseCommand]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Command)[0])
}
REQUIRED: dict[str, list[str]] = {
    "join": [],
    "play": ["game", "ply", "cell"],
    "choose": ["game", "ply", "choice"],
    "resign": ["game"],
    "offer": ["kind"],
    "accept": ["kind"],
    "decline": ["kind"],
    "claim": ["game"],
    "fill": ["seat", "strategy"],
    "hint": [],
    "say": ["text"],
    "leave": [],
    "rename": ["name"],
    "moderate": ["action"],
    "seek": [],
}
REQUIRED_VALUES = {
    "game": 1,
    "ply": 0,
    "cell": 4,
    "choice": "stay",
    "kind": "draw",
    "seat": "X",
    "strategy": "s",
    "text": "a",
    "name": "ada",
    "action": "clear",
}
OPTIONAL: dict[str, list[str]] = {
    "join": [
        "name",
        "role",
        "seat",
        "token",
        "settings",
        "password",
        "bot",
        "watch",
        "claim_key",
        "person",
    ],
    "play": ["log"],
    "resign": ["detail"],
    "fill": ["level"],
    "moderate": ["chat", "from"],
    "seek": ["rules", "clock", "opening", "ai"],
}
WRONG: dict[type, list[Any]] = {
    str: [1, 1.0, True, [], {}],
    int: [1.0, 1.5, True, "1", [], {}],
    float: [True, "1", [], {}],
    bool: [1, 0, 1.0, "true", [], {}],
    dict: [1, 1.0, True, "x", []],
}
"""By the kind of what stands in a golden file."""

Where = tuple[str, ...]


def exact(data: str | bytes) -> str:
    """The JSON value as text: unlike Python's `==`, it tells 1, 1.0 and true apart."""
    return json.dumps(json.loads(data), sort_keys=True, indent=1)


def refusal(value: Any) -> BadCommand:
    with pytest.raises(BadCommand) as caught:
        decode_command(json.dumps(value))
    error = caught.value
    assert error.code is RefusalCode.BAD_COMMAND
    assert len(error.reason) < 130
    assert str(error) == error.reason
    return error


def field_names(where: Where) -> str:
    return ".".join(where)


def inside(value: Any, where: Where = ()) -> Iterator[tuple[Where, Any]]:
    """Every value in a JSON object, with the way to it."""
    yield where, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from inside(inner, (*where, key))


def changed(value: Any, where: Where, new: Any) -> Any:
    if not where:
        return new
    result = copy.copy(value)
    result[where[0]] = changed(value[where[0]], where[1:], new)
    return result


def golden_values() -> Iterator[tuple[dict[str, Any], Where, Any]]:
    for path in GOLDEN:
        command: dict[str, Any] = json.loads(path.read_bytes())
        for where, value in inside(command):
            yield command, where, value


def sent_fields(kind: type[BaseCommand]) -> set[str]:
    return {field.alias or name for name, field in kind.model_fields.items()}


def test_the_union_is_that_of_the_contract() -> None:
    assert list(KINDS) == list(REQUIRED)
    for name, kind in KINDS.items():
        fields = {"id", "type", *REQUIRED[name], *OPTIONAL.get(name, [])}
        assert sent_fields(kind) == fields


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_decodes_and_encodes_to_the_same_json(path: Path) -> None:
    raw = path.read_bytes()
    command = decode_command(raw)
    assert type(command) is KINDS[path.stem.split("-")[0]]
    assert exact(encode_command(command)) == exact(raw)
    assert decode_command(encode_command(command)) == command
    assert decode_command(raw.decode()) == command


def test_every_command_and_every_field_has_a_golden_file() -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for path in GOLDEN:
        value = json.loads(path.read_bytes())
        seen[value["type"]] |= set(value)
    assert seen == {name: sent_fields(kind) for name, kind in KINDS.items()}


@pytest.mark.parametrize("kind", REQUIRED)
def test_a_command_without_a_field_it_needs(kind: str) -> None:
    golden = next(path for path in GOLDEN if path.stem.split("-")[0] == kind)
    whole = {**json.loads(golden.read_bytes()), "id": "c1"}
    for name in REQUIRED[kind]:
        error = refusal({key: value for key, value in whole.items() if key != name})
        assert error.reason == f"{name}: Field required"
        assert (error.command, error.id) == (kind, "c1")


@pytest.mark.parametrize("kind", REQUIRED)
def test_a_command_needs_no_other_field(kind: str) -> None:
    goldens = [path for path in GOLDEN if path.stem.split("-")[0] == kind]
    whole = json.loads(min(goldens, key=lambda path: path.stat().st_size).read_bytes())
    bare = {key: whole[key] for key in ["type", *REQUIRED[kind]]}
    assert decode_command(json.dumps(bare)).id is None


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        *((kind, ("id",)) for kind in KINDS),
        *((kind, (name,)) for kind, names in OPTIONAL.items() for name in names if name != "clock"),
        ("join", ("settings", "pace_s")),
        ("join", ("settings", "password")),
    ],
)
def test_what_may_be_left_out_may_not_be_null(kind: str, where: Where) -> None:
    value: dict[str, Any] = {where[-1]: None}
    for name in reversed(where[:-1]):
        value = {name: value}
    needed = {name: REQUIRED_VALUES[name] for name in REQUIRED[kind]}
    error = refusal({"type": kind, **needed, **value})
    assert error.reason.startswith(".".join(where) + ": ")
    assert error.command == kind


def test_a_room_may_be_wished_for_without_a_clock() -> None:
    join = decode_command('{"type": "join", "settings": {"clock": null}}')
    assert isinstance(join, Join)
    assert join.settings is not None
    assert join.settings.model_fields_set == {"clock"}


def test_only_what_could_be_null_can_be_kept_from_it() -> None:
    with pytest.raises(TypeError):
        TypeAdapter(Annotated[int, _NotNull()])


def test_an_unknown_field_at_any_depth_is_refused() -> None:
    for command, where, value in golden_values():
        if isinstance(value, dict) and where[-1:] != ("values",):  # whose keys are cells
            error = refusal(changed(command, where, {**value, "zqxj": 1}))
            place = field_names(where) or command["type"]
            assert error.reason == f"{place}: has an unknown field: zqxj"
            assert error.command == command["type"]
            assert error.id == command.get("id")


def test_a_field_of_another_place_is_unknown_here() -> None:
    play = {"type": "play", "game": 1, "ply": 0, "cell": 0}
    assert refusal({**play, "level": 1}).reason == "play: has an unknown field: level"
    error = refusal({"type": "join", "settings": {"rules": {"games": 1}}})
    assert error.reason == "settings.rules: has an unknown field: games"


def test_a_wrong_type_at_any_depth_is_refused() -> None:
    count = 0
    for command, where, value in golden_values():
        in_a_map = "values" in where[:-1]  # whose keys, the cells, no reason repeats
        if where and where != ("type",) and value is not None and not in_a_map:
            numbers = where[-1].endswith(("_s", "_ms"))
            for wrong in WRONG[float if numbers else type(value)]:
                error = refusal(changed(command, where, wrong))
                assert error.reason.startswith(field_names(where))
                assert error.command == command["type"]
                assert error.id == (None if where == ("id",) else command.get("id"))
                count += 1
    assert count > 200


@pytest.mark.parametrize("kind", ["", "Join", "join ", "welcome", "update", None, 1, True, [], {}])
def test_an_unknown_type(kind: Any) -> None:
    error = refusal({"type": kind, "id": "c1", "name": "ada"})
    assert error.reason == "type: must be one of " + ", ".join(REQUIRED)
    assert (error.command, error.id) == (None, "c1")


def test_no_type() -> None:
    error = refusal({"id": "c1"})
    assert error.reason.startswith("type: must be one of join, ")
    assert (error.command, error.id) == (None, "c1")


# id


@pytest.mark.parametrize("id_", ["a", "a" * 64, "é" * 64, "with space", "0"])
def test_ids(id_: str) -> None:
    assert decode_command(json.dumps({"type": "leave", "id": id_})).id == id_


@pytest.mark.parametrize("id_", ["", "a" * 65, 1, True, [], {}])
def test_a_bad_id_is_refused_and_not_carried(id_: Any) -> None:
    error = refusal({"type": "leave", "id": id_})
    assert error.reason.startswith("id: ")
    assert (error.command, error.id) == ("leave", None)


# join


def test_a_bare_join_is_that_of_a_guest_who_plays() -> None:
    join = decode_command('{"type": "join"}')
    assert join == Join()
    assert isinstance(join, Join)
    assert (join.name, join.role, join.seat) == ("guest", Role.PLAYER, None)
    assert (join.token, join.password, join.settings) == (None, None, None)


@pytest.mark.parametrize(
    "name", ["a", "ada lovelace", "a" * 24, "Ада", "愛", "é", "e\u0301", "नमस्ते", "❤️", "👍🏽"]
)
def test_names(name: str) -> None:
    join = decode_command(json.dumps({"type": "join", "name": name}))
    assert isinstance(join, Join)
    assert join.name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a" * 25,
        " ",
        "   ",
        "a\nb",
        "a\r",
        "a\tb",
        "a\x00",
        "a\x1b[31mb",
        "\x1b]0;t\x07",
        "a\x7f",
        "a\x9bb",
        "a\u00adb",
        "a\u200bb",
        "a\u200d",
        "a\ufeffb",
        "a\u202eb",
        "a\u2066b",
        "\u200fa",
        "a\u2028b",
        "a\u00a0b",
        "\u2800",
        "\u3164",
        "\ufe0f",
        "\u0301",
        " \u0301\u0301",
        "e\u0301\u0301\u0301",
        "\ue000",
        "\U000e0041",
    ],
    ids=ascii,
)
def test_no_names(name: str) -> None:
    error = refusal({"type": "join", "id": "c1", "name": name})
    assert error.reason.startswith("name: ")
    assert error.reason.isprintable()
    assert (error.command, error.id) == ("join", "c1")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("role",), "owner"),
        (("role",), "PLAYER"),
        (("seat",), "x"),
        (("seat",), ""),
        (("seat",), "XO"),
        (("settings", "rules", "columns"), 2),
        (("settings", "rules", "columns"), 20),
        (("settings", "rules", "rows"), 2),
        (("settings", "rules", "rows"), 20),
        (("settings", "rules", "in_a_row"), 2),
        (("settings", "rules", "in_a_row"), 20),
        (("settings", "rules", "columns"), -1),
        (("settings", "rules", "columns"), 2**64),
        (("settings", "rules", "columns"), None),
        (("settings", "seats", "X"), "ai"),
        (("settings", "seats", "X"), None),
        (("settings", "seats", "X", "level"), 10),
        (("settings", "seats", "X", "level"), -1),
        (("settings", "seats", "X", "level"), 10**4000),
        (("settings", "seats", "X", "strategy"), ""),
        (("settings", "clock", "initial_s"), 0),
        (("settings", "clock", "initial_s"), -1),
        (("settings", "clock", "initial_s"), None),
        (("settings", "clock", "increment_s"), -0.5),
        (("settings", "grace_s"), -1),
        (("settings", "grace_s"), 10**4000),
        (("settings", "grace_s"), None),
        (("settings", "public"), None),
        (("settings", "games"), 0),
        (("settings", "games"), 1001),
        (("settings", "games"), -1),
        (("settings", "games"), 2**64),
        (("settings", "pace_s"), -1),
        (("settings", "password"), ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_join_out_of_range(where: Where, value: Any) -> None:
    path = next(path for path in GOLDEN if path.stem == "join-player")
    error = refusal(changed(json.loads(path.read_bytes()), where, value))
    assert error.reason.startswith(f"{field_names(where)}: ")
    assert (error.command, error.id) == ("join", "c1")


def test_a_line_longer_than_the_board() -> None:
    error = refusal({"type": "join", "settings": {"rules": {"in_a_row": 4}}})
    assert error.reason == "settings.rules: in_a_row is longer than the board"


def test_an_ai_without_a_strategy() -> None:
    error = refusal({"type": "join", "settings": {"seats": {"O": {"level": 1}}}})
    assert error.reason == "settings.seats.O.strategy: Field required"


@pytest.mark.parametrize("show", [repr, str])
def test_a_join_does_not_show_its_secrets(show: Any) -> None:
    secret = "xyzzy"
    value = {
        "type": "join",
        "token": secret,
        "person": secret,
        "password": secret,
        "settings": {"password": secret},
    }
    join = decode_command(json.dumps(value))
    assert isinstance(join, Join)
    assert (join.token, join.password) == (secret, secret)
    assert secret not in show(join)


# play


@pytest.mark.parametrize("number", [-1, 0, 9, 2**63, 2**64, -(2**64), 10**3999, -(10**3999)])
@pytest.mark.parametrize("name", ["game", "ply", "cell"])
def test_a_whole_number_that_no_board_has_is_well_formed(name: str, number: int) -> None:
    value = {"type": "play", "game": 1, "ply": 0, "cell": 0, name: number}
    play = decode_command(json.dumps(value))
    assert isinstance(play, Play)
    assert getattr(play, name) == number
    assert json.loads(encode_command(play)) == value


@pytest.mark.parametrize("wrong", ["1.0", "1e0", "1e400", "true", '"1"', "null", "[1]", "-0.0"])
@pytest.mark.parametrize("name", ["game", "ply", "cell"])
def test_what_is_no_integer(name: str, wrong: str) -> None:
    rest = "".join(f', "{other}": 0' for other in ("game", "ply", "cell") if other != name)
    with pytest.raises(BadCommand) as caught:
        decode_command(f'{{"type": "play", "{name}": {wrong}{rest}}}')
    assert caught.value.code is RefusalCode.BAD_COMMAND
    assert caught.value.reason == f"{name}: Input should be a valid integer"


# offer, accept, decline, fill


@pytest.mark.parametrize("kind", ["offer", "accept", "decline"])
@pytest.mark.parametrize("wrong", ["", "Draw", "resign", None])
def test_an_offer_of_no_kind(kind: str, wrong: Any) -> None:
    error = refusal({"type": kind, "kind": wrong})
    assert error.reason == "kind: Input should be 'draw', 'takeback' or 'rematch'"


@pytest.mark.parametrize("level", [0, 9])
def test_levels(level: int) -> None:
    decode_command(json.dumps({"type": "fill", "seat": "X", "strategy": "s", "level": level}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", -1),
        ("level", 10),
        ("level", 2**64),
        ("seat", "Z"),
        ("seat", None),
        ("strategy", ""),
        ("strategy", None),
    ],
)
def test_a_fill_out_of_range(name: str, value: Any) -> None:
    error = refusal({"type": "fill", "id": "f", "seat": "X", "strategy": "s", name: value})
    assert error.reason.startswith(f"{name}: ")
    assert (error.command, error.id) == ("fill", "f")


# say


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("a", "a"),
        ("a" * 200, "a" * 200),
        ("愛" * 200, "愛" * 200),
        ("  two  words  ", "two  words"),
        ("a\nb\tc", "a b c"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07hello", "hello"),
        ("abc\u202etxt", "abctxt"),
        ("zal\u0301\u0302\u0303\u0304go", "zal\u0301\u0302go"),
    ],
    ids=ascii,
)
def test_chat_is_cleaned(typed: str, shown: str) -> None:
    say = decode_command(json.dumps({"type": "say", "text": typed}))
    assert isinstance(say, Say)
    assert say.text == shown
    assert Say(text=typed) == say


@pytest.mark.parametrize(
    "text",
    ["", "a" * 201, " ", "\n", "\u200b", "\x1b[31m", "\x00", "\ufe0f", "\u0301"],
    ids=lambda text: ascii(text)[:20],
)
def test_chat_that_says_nothing_or_too_much(text: str) -> None:
    error = refusal({"type": "say", "id": "s", "text": text})
    assert error.reason.startswith("text: ")
    assert (error.command, error.id) == ("say", "s")


# moderate


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"action": "chat"}, "moderate: the action chat needs chat"),
        ({"action": "mute"}, "moderate: the action mute needs from"),
        ({"action": "unmute", "chat": "all"}, "moderate: the action unmute has no chat"),
        ({"action": "remove", "chat": "off"}, "moderate: the action remove has no chat"),
        ({"action": "clear", "from": "a"}, "moderate: the action clear has no from"),
        ({"action": "chat", "chat": "all", "from": "a"}, "moderate: the action chat has no from"),
        ({"action": "chat", "chat": "none"}, "chat: Input should be 'all', 'players' or 'off'"),
        ({"action": "mute", "from": ""}, "from: String should have at least 1 character"),
        ({"action": "mute", "from_": "a"}, "moderate: has an unknown field: from_"),
    ],
)
def test_a_moderation_without_sense(fields: dict[str, Any], reason: str) -> None:
    error = refusal({"type": "moderate", "id": "m", **fields})
    assert (error.reason, error.command, error.id) == (reason, "moderate", "m")


def test_what_the_action_needs_is_named_as_on_the_wire() -> None:
    command = Moderate(action=ModerationAction.MUTE, from_=SessionId("k3v9"))
    assert json.loads(encode_command(command)) == {
        "type": "moderate",
        "action": "mute",
        "from": "k3v9",
    }


def test_a_command_that_is_made_here_is_checked_too() -> None:
    with pytest.raises(ValidationError):
        Say(text="")
    with pytest.raises(ValidationError):
        Join(name="a\nb")
