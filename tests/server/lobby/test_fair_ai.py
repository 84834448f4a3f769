import pytest

from ttt_protocol.state import Rules, Settings
from ttt_server.ai.settle import settle_ai
from ttt_server.core.room import engine_rules
from ttt_server.lobby.fair_ai import fair_ai


@pytest.mark.parametrize(
    ("rules", "strategy"),
    [
        (Rules(), "minimax"),
        (Rules(columns=4, rows=4, in_a_row=4), "lines"),
        (Rules(columns=7, rows=6, in_a_row=4, gravity=True), "search"),
        (Rules(columns=15, rows=15, in_a_row=5), "search"),
        (Rules(columns=3, rows=3, gravity=True), "search"),
        (Rules(columns=19, rows=5, in_a_row=4, gravity=True), "search"),
    ],
)
def test_a_fair_ai_plays_on_its_board(rules: Rules, strategy: str) -> None:
    ai = fair_ai(rules)
    assert ai.strategy == strategy
    assert settle_ai(ai, engine_rules(Settings(rules=rules))) == ai
