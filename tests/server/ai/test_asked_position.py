import json

import pytest

from ttt_engine import Position, Rules
from ttt_server.ai.messages import as_question, position_of


@pytest.mark.parametrize("text", ["3x3x3", "7x6x4g", "misere:3x3x3", "torus:4x4x4", "cube:3"])
def test_a_question_tells_a_position(text: str) -> None:
    position = Position.start(Rules.parse(text))
    for _ in range(3):
        position = position.play(position.legal_moves[1])
    asked = json.loads(json.dumps(as_question(position)))
    assert position_of(asked) == position
    assert ("whole" in asked) is (":" in text)
    assert (asked["rules"], asked["board"]) == (text, position.board)
