from typing import Any

import pytest

from tests.client.text.test_standings import event, standing
from ttt_client.cli.event import has_happened
from ttt_protocol.state import AiSetting
from ttt_protocol.tournament.commands import (
    AddAi,
    Announce,
    Doors,
    Invite,
    Start,
    TournamentCommand,
)

BEFORE: dict[str, Any] = {"seq": 4, "status": "created", "standings": (standing("ada"),)}
GUARD = (standing("guard", kind="ai"), standing("ada"))
RULES = AddAi(ai=AiSetting(strategy="rules"))


@pytest.mark.parametrize(
    ("command", "changes", "is_done"),
    [
        (RULES, {"seq": 4}, False),
        (RULES, {"seq": 5, "standings": (standing("ada"), standing("bob"))}, False),
        (RULES, {"seq": 5, "standings": GUARD}, True),
        (Start(), {"seq": 5}, False),
        (Start(), {"seq": 5, "status": "running"}, True),
        (Doors(open=False), {}, False),
        (Doors(open=False), {"doors_open": False}, True),
        (Announce(text="soon"), {}, False),
        (Announce(text="soon"), {"seq": 5}, True),
        (Invite(), {"seq": 5}, False),
    ],
)
def test_what_others_do_is_not_the_answer_to_a_command(
    command: TournamentCommand, changes: dict[str, Any], is_done: bool
) -> None:
    assert has_happened(command, event(**BEFORE), event(**BEFORE | changes)) is is_done
