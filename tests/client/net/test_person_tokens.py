"""The tokens of persons in `client.toml`, beside what people write there themselves."""

import tomllib
from pathlib import Path

import pytest

from ttt_client.net.address import parse_server
from ttt_client.net.tokens import recall_person, remember_person, with_token
from ttt_protocol.state import Token

HERE, THERE = "ws://127.0.0.1:8765", "wss://play.example.org/ttt"
OWN = '# mine\nname = "ada"   # as at home\n\n[other]\nx = 1\n'


@pytest.mark.parametrize("before", ["", OWN, 'name = "ada"', f'[persons]\n"{THERE}" = "t2"\n'])
def test_a_token_is_put_in_and_taken_out(before: str) -> None:
    after = with_token(before, HERE, "t1")
    assert tomllib.loads(after)["persons"][HERE] == "t1"
    again = with_token(after, HERE, "t3")
    assert tomllib.loads(again)["persons"][HERE] == "t3"
    assert len(again.splitlines()) == len(after.splitlines())
    kept = tomllib.loads(with_token(again, HERE, None))
    assert kept.pop("persons") == tomllib.loads(before).pop("persons", {})
    assert kept == {key: each for key, each in tomllib.loads(before).items() if key != "persons"}
    assert all(line in after for line in before.splitlines())


def test_each_server_has_its_token(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "client.toml"
    here, there = parse_server(HERE), parse_server(THERE)
    assert recall_person(here, file) is None
    remember_person(here, Token("t1"), file)
    remember_person(there, Token("t2"), file)
    assert (recall_person(here, file), recall_person(there, file)) == ("t1", "t2")
    assert recall_person(parse_server("ws://localhost:8765"), file) == "t1"
    assert file.stat().st_mode & 0o077 == 0
    remember_person(here, None, file)
    assert (recall_person(here, file), recall_person(there, file)) == (None, "t2")


@pytest.mark.parametrize("content", ["persons = 5", "[persons]\n5 = 5", "[persons", "\xff"])
def test_a_file_that_is_not_understood_has_none(tmp_path: Path, content: str) -> None:
    file = tmp_path / "client.toml"
    file.write_bytes(content.encode("latin-1"))
    assert recall_person(parse_server(HERE), file) is None
