import os
import subprocess
import sys
from pathlib import Path

import pytest

from ttt_engine.strategies import Search
from ttt_server.ai.worker import _strategy, give_way


class Busy(type(Path())):  # type: ignore[misc]  # before Python 3.12 the class depends on the system
    """A file that takes a text at the third try: another process has written to it just now."""

    tries = 0

    def write_text(self, text: str, *_: object, **__: object) -> int:
        type(self).tries += 1
        if self.tries < 3:
            raise BlockingIOError
        return super().write_text(text)  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def niceness(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How nice the process was asked to be."""
    asked: list[int] = []
    monkeypatch.setattr(os, "nice", asked.append)
    return asked


def test_a_process_and_its_session_give_way(tmp_path: Path, niceness: list[int]) -> None:
    share = tmp_path / "autogroup"
    share.touch()
    give_way(5, share)
    assert (share.read_text(), niceness) == ("5", [5])


def test_it_is_tried_again_after_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    share = Busy(tmp_path / "autogroup")
    give_way(5, share)
    assert (share.read_text(), len(pauses)) == ("5", 2)


def test_a_system_without_shares_of_sessions(tmp_path: Path, niceness: list[int]) -> None:
    give_way(5, tmp_path / "none" / "autogroup")
    assert niceness == [5]


def test_it_starts_without_the_models_of_the_wire() -> None:
    told = "import sys, ttt_server.ai.worker; print('pydantic' in sys.modules)"
    assert subprocess.check_output((sys.executable, "-c", told), text=True) == "False\n"


def test_a_search_goes_on_with_the_proofs_of_the_last_question() -> None:
    asked = {"strategy": "search", "level": 4, "seconds": None}
    kept = []
    for question in (asked, asked | {"level": 7, "seconds": 0.1}):
        search = _strategy(question)
        assert isinstance(search, Search)
        kept.append(search._kept)
    assert kept[0] is kept[1] is not None
    counting = _strategy(asked, clock=None)
    assert isinstance(counting, Search)
    assert counting._kept is None
