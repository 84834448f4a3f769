"""The JSON itself, whatever the words: what is refused, how, and what a refusal gives away."""

import json
import re
import traceback
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_protocol import codec
from ttt_protocol.codec import (
    BadCommand,
    BadMessage,
    InvalidWire,
    decode_command,
    decode_event,
    decode_message,
    encode_command,
)
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import (
    Accept,
    AskHint,
    BaseCommand,
    Claim,
    Command,
    Decline,
    Fill,
    Join,
    Leave,
    Offer,
    Play,
    Resign,
    Say,
)
from ttt_protocol.state import (
    AiSetting,
    ClockSetting,
    GivenSettings,
    Mark,
    OfferKind,
    Role,
    Rules,
    SeatSettings,
)
from ttt_protocol.text import clean, is_blank

TYPES = [kind.model_fields["type"].default for kind in get_args(get_args(Command)[0])]
NOT_JSON = [
    "",
    " ",
    "\n",
    "{",
    "}",
    "nul",
    "join",
    "{'type': 'leave'}",
    '{type: "leave"}',
    '{"type": "leave",}',
    '{"type": "leave"',
    '{"type": "leave"} x',
    '{"type": "leave"}{}',
    '{"type": "leave"}\x00',
    '{"type": "leave"} // bye',
    '\ufeff{"type": "leave"}',
    '{"type": "say", "text": "a\nb"}',
    '{"type": "play", "game": 01, "ply": 0, "cell": 0}',
    '{"type": "play", "game": +1, "ply": 0, "cell": 0}',
    '{"type": "play", "game": 0x1, "ply": 0, "cell": 0}',
    '{"type": "play", "game": 1., "ply": 0, "cell": 0}',
    # Half a character
    "\ud800",
    '{"type": "say", "text": "\ud800"}',
    '{"type": "say", "text": "\udc00\ud800"}',
    '{"type": "say", "text": "\\ud800"}',
    '{"type": "say", "text": "\\ud800a"}',
    '{"\\udc00": 1, "type": "leave"}',
]
NOT_UTF8 = [
    b"\xff",
    b'{"type": "say", "text": "\xff"}',
    b'{"type": "say", "text": "\xc3"}',
    b'{"type": "say", "text": "\xc0\xaf"}',
    b'{"type": "say", "text": "\xed\xa0\x80"}',
    b'{"type": "say", "text": "\xf5\x80\x80\x80"}',
    '{"type": "leave"}'.encode("utf-16"),
    b'\xef\xbb\xbf{"type": "leave"}',
]
NAN = [
    f'{{"type": {type_}{field}}}'
    for word in ("NaN", "Infinity", "-Infinity")
    for type_, field in [
        ('"leave"', f', "x": {word}'),
        ('"leave"', f', "x": [[{{"y": {word}}}]]'),
        ('"play"', f', "game": {word}, "ply": 0, "cell": 0'),
        ('"join"', f', "settings": {{"grace_s": {word}}}'),
        ('"join"', f', "settings": {{"clock": {{"initial_s": {word}}}}}'),
        ('"nonsense"', f', "x": {word}'),
        (word, ""),
    ]
]
TWICE = [
    '{"type": "leave", "type": "leave"}',
    '{"type": "leave", "type": "join"}',
    '{"type": "leave", "id": "a", "id": "a"}',
    '{"type": "play", "game": 1, "ply": 0, "cell": 0, "cell": 1}',
    '{"type": "leave", "id": "a", "\\u0069d": "b"}',
    '{"type": "join", "settings": {"games": 1, "games": 1}}',
    '{"type": "join", "settings": {"rules": {"rows": 3, "rows": 4}}}',
    '{"type": "join", "settings": {"seats": {"X": {"level": 1, "level": 2}}}}',
    '{"type": "nonsense", "type": 1}',
    '{"a": [{"b": {"c": 1, "c": 1}}]}',
    '[{"a": 1, "a": 2}]',
    '[[{"": 1, "": 2}]]',
]
BOMBS = [
    "[" * 100_000,
    '{"a":' * 100_000,
    "[" * 1_000 + "]" * 1_000,
    '{"type": "leave", "x": ' + "[" * 1_000 + "]" * 1_000 + "}",
    '{"type": "leave", "x": ' + '{"a":' * 1_000 + "1" + "}" * 1_000 + "}",
]

MARKERS = st.text("zqxjvk", min_size=6, max_size=10)
"""Words that no reason of ours has."""


def short(raw: str | bytes) -> str:
    return ascii(raw)[:40]


def refusal(raw: str | bytes) -> BadCommand:
    with pytest.raises(BadCommand) as caught:
        decode_command(raw)
    error = caught.value
    assert error.reason == str(error)
    assert 0 < len(error.reason) < 130
    assert error.reason.isprintable()
    return error


WORDS = ["HERE", "\x1b[31mHERE", "HERE" * 20, "human", "X", "player", "draw", "", "a"]
KEYS = ["HERE", "type", "id", "X", "O", "rules", "rows", "seats", "strategy", "level", "clock"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=5,
)
SETTING_NAMES = ["rules", "seats", "clock", "grace_s", "games", "pace_s", "public", "HERE"]
FIELD_NAMES = ["id", "name", "role", "seat", "token", "password", "game", "ply", "cell"]
FIELD_NAMES += ["kind", "strategy", "level", "text", "HERE"]
OBJECTS = st.builds(
    lambda type_, fields, settings: {"type": type_, **fields, **settings},
    st.sampled_from([*TYPES, "HERE"]) | VALUES,
    st.dictionaries(st.sampled_from(FIELD_NAMES), VALUES, max_size=4),
    st.just({})
    | st.fixed_dictionaries(
        {"settings": st.dictionaries(st.sampled_from(SETTING_NAMES), VALUES, max_size=3)}
    ),
)
"""What could be a command; HERE is where the input has a word that no reason may repeat."""


# Not JSON


def test_the_tree_of_faults() -> None:
    assert issubclass(InvalidWire, ValueError)
    assert issubclass(BadCommand, InvalidWire)
    assert issubclass(BadMessage, InvalidWire)


@pytest.mark.parametrize("raw", [*NOT_JSON, *NOT_UTF8, *NAN], ids=short)
def test_what_is_not_json(raw: str | bytes) -> None:
    error = refusal(raw)
    assert error.code is RefusalCode.BAD_JSON
    assert error.reason == "this is not JSON"
    assert (error.command, error.id) == (None, None)


@pytest.mark.parametrize("raw", TWICE, ids=short)
def test_a_key_that_stands_there_twice(raw: str) -> None:
    error = refusal(raw)
    assert error.code is RefusalCode.BAD_JSON
    assert error.reason == "duplicate key"
    assert (error.command, error.id) == (None, None)


def test_the_same_key_in_two_objects_is_no_duplicate() -> None:
    join = decode_command(
        '{"type": "join", "settings": {"seats": '
        '{"X": {"strategy": "a", "level": 1}, "O": {"strategy": "a", "level": 1}}}}'
    )
    assert isinstance(join, Join)


@pytest.mark.parametrize("raw", BOMBS, ids=short)
def test_what_nests_too_deep(raw: str) -> None:
    for sent in (raw, raw.encode()):
        error = refusal(sent)
        assert error.code is RefusalCode.BAD_JSON
        assert error.reason == "nested too deep"


@pytest.mark.parametrize("depth", range(190, 210))
def test_both_parsers_find_the_same_depth_too_deep(depth: int) -> None:
    error = refusal('{"type": "leave", "x": ' + "[" * depth + "]" * depth + "}")
    assert error.reason in ("nested too deep", "leave: has an unknown field: x")


# JSON, but no command


@pytest.mark.parametrize(
    "raw", ["[]", '[{"type": "leave"}]', "1", "0.5", '"leave"', "null", "true", "9" * 4000]
)
def test_what_is_no_object(raw: str) -> None:
    error = refusal(raw)
    assert error.code is RefusalCode.BAD_COMMAND
    assert error.reason == "a command is an object"
    assert (error.command, error.id) == (None, None)


@pytest.mark.parametrize("kind", TYPES)
def test_a_refusal_carries_the_command_and_the_id(kind: str) -> None:
    error = refusal(json.dumps({"type": kind, "id": "c1", "nonsense": 1}))
    assert error.code is RefusalCode.BAD_COMMAND
    assert (error.command, error.id) == (kind, "c1")


@pytest.mark.parametrize("count", [33, 10_000])
@pytest.mark.parametrize(
    ("template", "command"),
    [
        ('{"type": "leave", "id": "c1", HERE}', "leave"),
        ('{"type": "nonsense", "id": "c1", HERE}', None),
        ('{"type": "join", "id": "c1", "settings": {HERE}}', "join"),
        ('{"type": "join", "id": "c1", "settings": {"seats": {"X": {HERE}}}}', "join"),
    ],
)
def test_far_too_many_fields(template: str, command: str | None, count: int) -> None:
    fields = ", ".join(f'"k{number}": {number}' for number in range(count))
    error = refusal(template.replace("HERE", fields))
    assert error.code is RefusalCode.BAD_COMMAND
    assert error.reason == f"{command or 'this'}: has too many fields"
    assert (error.command, error.id) == (command, "c1")


def test_of_two_forms_the_one_that_got_further_says_why() -> None:
    seats = {"X": "human", "O": {"strategy": "minimax", "level": 10}}
    error = refusal(json.dumps({"type": "join", "settings": {"seats": seats}}))
    assert error.reason == "settings.seats.O.level: Input should be less than or equal to 9"


def test_space_around_a_command_is_json() -> None:
    assert decode_command(' \t\r\n{"type" : "leave"}\n') == Leave()


# What a refusal gives away


def decoded(raw: str | bytes) -> BaseCommand | BadCommand:
    try:
        return decode_command(raw)
    except BadCommand as error:
        return error


@settings(max_examples=100)
@given(MARKERS, OBJECTS)
def test_a_reason_never_repeats_the_input(marker: str, template: Any) -> None:
    raw = json.dumps(template).replace("HERE", marker)
    error = decoded(raw)
    if isinstance(error, BadCommand):
        value = json.loads(raw)
        assert error.code is RefusalCode.BAD_COMMAND
        assert 0 < len(error.reason) < 130
        assert error.reason.isprintable()
        assert marker not in error.reason.removesuffix(f": {marker}")
        if error.reason.endswith(f": {marker}"):
            assert "has an unknown field" in error.reason
            assert f'"{marker}":' in raw, "it is a key"
        else:
            assert marker not in "".join(traceback.format_exception(error))
        assert error.command == (value["type"] if value["type"] in TYPES else None)
        id_ = value.get("id")
        assert error.id == (id_ if isinstance(id_, str) and 0 < len(id_) <= 64 else None)


@settings(max_examples=100)
@given(MARKERS.map(lambda word: f"{word[:3]} {word[3:]}"), OBJECTS)
def test_a_reason_never_repeats_what_is_no_identifier(marker: str, template: Any) -> None:
    error = decoded(json.dumps(template).replace("HERE", marker))
    if isinstance(error, BadCommand):
        assert marker not in error.reason
        assert marker not in "".join(traceback.format_exception(error))


HARMLESS = ["colour", "c", "_", "__proto__", "Zug2", "class", "a" * 32]
HOSTILE = [
    *("", " ", "a b", " a", "a ", "a-b", "a.b", "2a", "$a", "a:b", "a,b", "a/b", "<b>", "%s"),
    *("a" * 33, "a" * 4000, '"', "'", "a'b", 'a"b', "`a`", "\\", "a\\nb", "a\n", "\n", "\r", "\t"),
    *("\0", "\x1b[31m", "\x7f", "\x9b31m", "\u202ea", "a\u200b", "a\u0301", "\u2028", "\ufeff"),
    *("f\u00e4rbe", "\u0430", "\uff43olour", "\u00b2", "\u4e2d", "\U0001d41a", "\U0001f600", "{0}"),
]
PLACES = [
    ('{"type": "play", "game": 1, "ply": 0, "cell": 0, HERE: 1}', "play"),
    ('{"type": "join", "settings": {"rules": {HERE: 1}}}', "settings.rules"),
    (
        '{"type": "join", "settings": {"seats": {"X": {"strategy": "a", HERE: 1}}}}',
        "settings.seats.X",
    ),
]


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.parametrize(("template", "place"), PLACES)
def test_an_unknown_field_is_named(template: str, place: str, name: str) -> None:
    error = refusal(template.replace("HERE", json.dumps(name)))
    assert error.reason == f"{place}: has an unknown field: {name}"


@pytest.mark.parametrize(("template", "place"), PLACES)
def test_an_unknown_field_with_a_hostile_name_is_not(template: str, place: str) -> None:
    for name, ascii_only in product(HOSTILE, (True, False)):
        error = refusal(template.replace("HERE", json.dumps(name, ensure_ascii=ascii_only)))
        assert error.reason == f"{place}: has an unknown field", short(name)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_of_any_name_only_a_short_ascii_identifier_is_repeated(name: str) -> None:
    if name not in ("type", "id"):
        error = refusal(json.dumps({"type": "leave", name: 1}))
        named = error.reason.removeprefix("leave: has an unknown field")
        assert named in ("", f": {name}")
        assert (named != "") == (re.fullmatch("[A-Za-z_][A-Za-z_0-9]{0,31}", name) is not None)


@given(MARKERS, st.data())
def test_what_is_not_json_is_not_repeated_either(marker: str, data: st.DataObject) -> None:
    whole = json.dumps({"type": "say", marker: marker, "text": [marker, {marker: 1}]})
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    twice = f'{{"{marker}": 1, "{marker}": 2}}'
    for raw in (cut, twice, whole + marker, marker + whole, whole.replace(":", marker)):
        error = refusal(raw)
        assert error.code is RefusalCode.BAD_JSON
        assert marker not in error.reason
        assert marker not in "".join(traceback.format_exception(error))


# Anything at all


def decodes_or_refuses(raw: str | bytes) -> None:
    result = decoded(raw)
    if isinstance(result, BadCommand):
        assert result.code in (RefusalCode.BAD_JSON, RefusalCode.BAD_COMMAND)
        assert 0 < len(result.reason) < 130


@given(st.binary() | st.text(st.characters()))
def test_any_bytes_and_any_text(raw: str | bytes) -> None:
    decodes_or_refuses(raw)


@given(st.lists(st.sampled_from([*'{}[]":,-.e0 \\', "null", "NaN", '"type"', '"join"', '"id"'])))
def test_any_row_of_json_signs(signs: list[str]) -> None:
    decodes_or_refuses("".join(signs))


@given(VALUES | OBJECTS)
def test_any_json_value(value: Any) -> None:
    decodes_or_refuses(json.dumps(value))
    decodes_or_refuses(json.dumps(value, ensure_ascii=False).encode())


@given(st.binary() | st.text(st.characters()) | OBJECTS.map(json.dumps))
def test_the_other_decoders_raise_only_their_own(raw: str | bytes) -> None:
    with pytest.raises(BadMessage):
        decode_message(raw)
    with pytest.raises(InvalidWire):
        decode_event(raw)


# Commands that a client makes

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(
    lambda text: not is_blank(clean(text))
)
NAMES = TEXTS.map(lambda text: clean(text)[:24]).filter(lambda name: not is_blank(name))
STRATEGIES = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=64)
LEVELS = st.none() | st.integers(0, 9)
SECONDS = st.integers(0, 86_400) | st.floats(0, 86_400)
MARKS = st.sampled_from(Mark)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the fields, given or not."""
    return st.fixed_dictionaries({}, optional=fields)


AIS = st.builds(AiSetting, strategy=STRATEGIES) | st.builds(
    AiSetting, strategy=STRATEGIES, level=LEVELS
)
RULES = some(
    columns=st.integers(3, 19), rows=st.integers(3, 19), in_a_row=st.just(3), gravity=st.booleans()
).map(lambda fields: Rules(**fields))
SETTINGS = some(
    rules=RULES,
    seats=some(X=st.just("human") | AIS, O=st.just("human") | AIS).map(
        lambda fields: SeatSettings(**fields)
    ),
    clock=st.none() | st.builds(ClockSetting, initial_s=st.integers(1, 9), increment_s=SECONDS),
    grace_s=SECONDS,
    public=st.booleans(),
    spectators=st.booleans(),
    hints=st.booleans(),
    games=st.integers(1, 1000),
    pace_s=SECONDS,
    password=st.text("abc", min_size=1, max_size=128),
).map(lambda fields: GivenSettings(**fields))


def built(
    kind: type[BaseCommand],
    needed: dict[str, st.SearchStrategy[Any]] | None = None,
    **optional: st.SearchStrategy[Any],
) -> st.SearchStrategy[BaseCommand]:
    fields = st.fixed_dictionaries(needed or {}, optional={"id": IDS, **optional})
    return fields.map(lambda given: kind(**given))


GAME = {"game": st.integers()}
KIND = {"kind": st.sampled_from(OfferKind)}
COMMANDS: st.SearchStrategy[Any] = st.one_of(
    built(
        Join,
        name=NAMES,
        role=st.sampled_from(Role),
        seat=MARKS,
        token=st.text("abc.", max_size=256),
        settings=SETTINGS,
        password=st.text("abc", max_size=128),
    ),
    built(Play, {**GAME, "ply": st.integers(), "cell": st.integers()}),
    built(Resign, GAME),
    built(Offer, KIND),
    built(Accept, KIND),
    built(Decline, KIND),
    built(Claim, GAME),
    built(Fill, {"seat": MARKS, "strategy": STRATEGIES}, level=st.integers(0, 9)),
    built(AskHint),
    built(Say, {"text": TEXTS}),
    built(Leave),
)


def given_fields(value: Any) -> Any:
    """The names of the fields that were given, and inside each the same."""
    if not hasattr(value, "model_fields_set"):
        return None
    return {name: given_fields(getattr(value, name)) for name in value.model_fields_set}


def names(value: Any) -> Any:
    """The keys of a JSON object, and inside each the same."""
    if not isinstance(value, dict):
        return None
    return {key: names(inner) for key, inner in value.items()}


@given(COMMANDS)
def test_a_command_comes_back_as_it_was(command: Command) -> None:
    again = decode_command(encode_command(command))
    assert again == command
    assert encode_command(again) == encode_command(command)


@given(COMMANDS)
def test_only_what_was_given_is_sent(command: Command) -> None:
    sent = json.loads(encode_command(command))
    assert sent["type"] == command.type
    assert names(sent) == {"type": None, **given_fields(command)}


@pytest.mark.parametrize(
    ("command", "sent"),
    [
        (Join(), b'{"type":"join"}'),
        (Leave(id="a"), b'{"type":"leave","id":"a"}'),
        (Fill(seat=Mark.O, strategy="s"), b'{"type":"fill","seat":"O","strategy":"s"}'),
        (
            Join(settings=GivenSettings(rules=Rules(columns=4))),
            b'{"type":"join","settings":{"rules":{"columns":4}}}',
        ),
        (Join(name="guest", role=Role.PLAYER), b'{"type":"join","name":"guest","role":"player"}'),
    ],
    ids=str,
)
def test_defaults_are_sent_only_if_they_were_given(command: Command, sent: bytes) -> None:
    assert encode_command(command) == sent


@pytest.mark.parametrize("indent", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("numbers", [(1, 0, 0), (12, 360, 9), (999_999_999, 10, 100)])
def test_a_plain_move_is_read_as_any_other(
    numbers: tuple[int, int, int], indent: tuple[str, str]
) -> None:
    fields = dict(zip(("game", "ply", "cell"), numbers, strict=True))
    game, ply, cell = numbers
    expected = Play(game=game, ply=ply, cell=cell)
    plain = json.dumps({"type": "play", **fields}, separators=indent)
    turned = json.dumps({**fields, "type": "play"}, separators=indent)
    assert decode_command(plain) == decode_command(turned) == expected
    assert decode_command(plain.encode()) == expected


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("-1", None),
        ("18446744073709551616", None),
        ("01", RefusalCode.BAD_JSON),
        ("+1", RefusalCode.BAD_JSON),
        ("1_0", RefusalCode.BAD_JSON),
        ("\u0661", RefusalCode.BAD_JSON),  # a digit elsewhere
        ("1.0", RefusalCode.BAD_COMMAND),
        ('1,"cell":1', RefusalCode.BAD_JSON),
    ],
)
def test_a_move_that_looks_plain(cell: str, code: RefusalCode | None) -> None:
    text = f'{{"type":"play","game":1,"ply":0,"cell":{cell}}}'
    if code is None:
        assert decode_command(text) == Play(game=1, ply=0, cell=int(cell))
    else:
        with pytest.raises(BadCommand) as caught:
            decode_command(text)
        assert caught.value.code is code


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('{"type":"play","game":7,"ply":0,"cell":4}', True),
        ('{"type": "offer", "kind": "rematch"}', True),
        ('{"type":"join","password":"1234"}', False),
        ('{"type":"play","game":7,"ply":0,"cell":4,"id":"%s"}' % ("a" * 64), False),
    ],
    ids=["a move", "an offer", "nothing with a secret", "nothing long"],
)
def test_the_same_words_are_the_same_command(text: str, is_one: bool) -> None:
    assert decode_command(text) == decode_command(text)
    assert (decode_command(text) is decode_command(text.encode())) == is_one


def test_the_cache_of_commands_is_bounded() -> None:
    assert codec._decode_frequent.cache_info().maxsize == 4096
