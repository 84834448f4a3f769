from argparse import ArgumentTypeError

import pytest

from ttt_server.cli.top.command import _seconds, _server


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ws://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("wss://example.org/ttt/", "https://example.org/ttt"),
        ("http://[::1]:80", "http://[::1]:80"),
        ("wsserver:8765", "http://wsserver:8765"),
    ],
)
def test_a_server_in_any_of_its_names(text: str, address: str) -> None:
    assert _server(text) == address


def test_what_is_no_server_and_no_interval() -> None:
    for text in (
        "ftp://example.org",
        "http://",
        "",
        "hello there",
        "ws://example.org:99999",
        "example.org:x",
    ):
        with pytest.raises(ArgumentTypeError):
            _server(text)
    for text in ("0", "x", "nan", "1e9"):
        with pytest.raises(ArgumentTypeError):
            _seconds(text)
    assert _seconds("0.5") == 0.5
