"""Challenges in lines of text."""

from typing import Any

from ttt_client.text.own import challenge_lines
from ttt_protocol.state import Settings

HOUR = 3_600_000


def challenge(**fields: Any) -> dict[str, Any]:
    settings = Settings(rated=True, days=2).model_dump(mode="json")
    given = {
        "from": "Ann",
        "to": "Bob",
        "settings": settings,
        "expires": 30 * HOUR,
        "state": "open",
    }
    return given | fields


def lines(*challenges: dict[str, Any]) -> list[str]:
    return list(challenge_lines(challenges, "Bob", "http://here", 7 * HOUR - 1))


def test_without_any_it_says_so() -> None:
    assert lines() == ["no challenges within a day"]


def test_each_side_reads_who_challenges_whom_and_to_what() -> None:
    clock = Settings(clock={"initial_s": 300, "increment_s": 3}).model_dump(mode="json")  # type: ignore[arg-type]
    assert lines(
        challenge(),
        challenge(**{"from": "Bob", "to": "Eve\x1b", "settings": clock}, state="declined"),
        challenge(state="accepted", room="match-1"),
    ) == [
        "Ann challenges you: 3x3, 3 in a row, 2 days a move, rated; 23 hours left",
        "you challenge Eve: 3x3, 3 in a row, 5+3; declined",
        "Ann challenges you: 3x3, 3 in a row, 2 days a move, rated; accepted: http://here/rooms/match-1",
    ]
