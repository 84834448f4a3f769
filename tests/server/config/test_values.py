from pathlib import Path

import pytest

from tests.server.configs import fault, toml
from ttt_server.config.options import flag, load
from ttt_server.config.values import parse_age


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "65536"),
        ("port", "-1"),
        ("port", "http"),
        ("host", ""),
        ("data", ""),
        ("tls_key", ""),
        ("max_rooms", "0"),
        ("max_frame", "255"),
        ("drain_s", "0"),
        ("drain_s", "nan"),
        ("send_timeout_s", "inf"),
        ("store", "mysql://x"),
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("secret", "short"),
        ("allow_origin", "null"),
        ("allow_origin", "*"),
        ("allow_origin", "https://a.example/"),
        ("allow_origin", "https://A.example"),
        ("allow_host", "http://a.example"),
        ("allow_host", "a.example:80"),
        ("public_url", "play.example.org"),
        ("public_url", 'https://play.example.org/"'),
        ("trusted_proxies", "localhost"),
        ("trusted_proxies", "10.0.0.1/8"),
        ("connects_per_10s_per_address", "0"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_the_option(name: str, value: str) -> None:
    words = fault({name: value})
    assert words.startswith(f"{flag(name)}: ")
    if name == "secret":
        assert value not in words.removeprefix("--secret").replace("should", "")


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("https://a.example", ("https://a.example",)),
        ("https://a.example, https://b.example,", ("https://a.example", "https://b.example")),
    ],
)
def test_origins_have_commas_between(
    text: str, origins: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load({"allow_origin": text}, None).allow_origin == origins
    monkeypatch.setenv("TTT_ALLOW_ORIGIN", text)
    assert load({}, None).allow_origin == origins


def test_origins_are_a_list_in_a_file(tmp_path: Path) -> None:
    file = toml(tmp_path, 'allow_origin = ["https://a.example"]\n')
    assert load({}, file).allow_origin == ("https://a.example",)


def test_a_fault_in_a_table_names_the_key() -> None:
    program = {"mine": {"exec": "./mine", "time_s": 99}}
    assert fault({"strategies": program}) == "--strategies: mine.time_s: must be at most 15"


def test_a_number_out_of_range_is_told_in_plain_words() -> None:
    assert fault({"port": "http"}) == "--port: must be a whole number"
    assert fault({"port": "65536"}) == "--port: must be at most 65535"
    assert fault({"drain_s": "0"}) == "--drain-s: must be more than 0"


@pytest.mark.parametrize(
    ("given", "seconds"), [("90d", 7_776_000), ("12h", 43_200), ("30m", 1800), ("45s", 45), (2, 2)]
)
def test_a_time_in_words(given: object, seconds: int) -> None:
    assert parse_age(given) == seconds


@pytest.mark.parametrize("given", ["", "90", "d", "1 d", "1w", "-1d", "1.5h", "٣d"])
def test_no_time_in_words(given: str) -> None:
    with pytest.raises(ValueError, match="90d, 12h"):
        parse_age(given)


@pytest.mark.parametrize(
    ("given", "most"),
    [("1000000d", "999999d"), ("1000000s", "999999s"), ("9" * 5000 + "m", "999999m")],
)
def test_a_time_that_is_too_long_is_told_the_most(given: str, most: str) -> None:
    assert fault({"forget_rooms_after": given}) == f"--forget-rooms-after: must be at most {most}"
    load({"forget_rooms_after": most}, None)  # which is not too long
    assert parse_age("000000000001s") == 1


@pytest.mark.parametrize(
    "name", ["max_rooms", "keep_games", "workers", "outbox", "drain_s", "max_connections"]
)
@pytest.mark.parametrize("digits", [10, 20, 32])
def test_a_number_that_is_too_large_is_told_the_most(name: str, digits: int) -> None:
    assert load({name: "1000000000"}, None) is not None
    assert fault({name: "9" * digits}) == f"{flag(name)}: must be at most 1000000000"


def program(**given: object) -> dict[str, object]:
    return {"exec": "./mine", **given}


def test_programs_are_a_table_or_json() -> None:
    table = load({"strategies": {"mine": program()}}, None).strategies
    assert table["mine"].command == ["./mine"]
    assert load({"strategies": '{"mine": {"exec": "./mine"}}'}, None).strategies == table


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Mine", "'Mine' is no name of a strategy: a-z, 0-9, - and _"),
        ("rules", "'rules' is a strategy of the server itself"),
    ],
)
def test_a_program_has_a_free_name(name: str, words: str) -> None:
    assert fault({"strategies": {name: program()}}) == f"--strategies: {words}"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('{"x":1}', "x: must be a table"),
        ("[]", "must be a table"),
        ("{", "is no JSON from line 1, column 2 on"),
        ('{"x":\n{"exec" 1}}', "is no JSON from line 2, column 9 on"),
        ('{"x":{"exec":"\'"}}', "x.exec: is not valid shell syntax"),
    ],
)
def test_programs_that_are_none(given: str, words: str) -> None:
    assert fault({"strategies": given}) == f"--strategies: {words}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("store", "memory:"),
        ("store", "postgresql://ttt@db/ttt"),
        ("advertise", "ws://10.0.0.2:8765"),
        ("public_url", "https://play.example.org/ttt/"),
        ("host", "::1"),
    ],
)
def test_a_value_that_fits_is_kept_as_it_is(name: str, value: str) -> None:
    assert getattr(load({name: value}, None), name) == value


def test_proxies_are_addresses_and_networks() -> None:
    trusted = load({"trusted_proxies": "127.0.0.1, 10.0.0.0/8"}, None).trusted_proxies
    assert trusted == ("127.0.0.1", "10.0.0.0/8")
