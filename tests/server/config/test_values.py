from pathlib import Path

import pytest

from tests.server.configs import fault, toml
from ttt_server.config.sources import flag, load


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
