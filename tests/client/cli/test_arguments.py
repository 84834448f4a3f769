import getpass
import os

import pytest

from ttt_client.cli.arguments import login_name


def test_the_login_name_is_taken_if_a_player_may_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    assert login_name() == "ada"
    monkeypatch.setattr(getpass, "getuser", lambda: "n" * 25)
    assert login_name() == "guest"


def test_without_a_login_name_the_player_is_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert login_name() == "guest"
