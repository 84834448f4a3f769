import pytest

from tests.protocol.bots.examples import GOMOKU, build_choosing, build_turn
from ttt_protocol.bots.conversation import MOST_BYTES, BotProtocol, Conversation, Step
from ttt_protocol.bots.failures import BotFailed, FailureKind
from ttt_protocol.bots.language import Answer, GameEnd
from ttt_protocol.codes import Choice, Opening, Reason


def asked(*moves: int) -> Conversation:
    conversation = Conversation(BotProtocol.JSON)
    conversation.ask(build_turn(*moves))
    return conversation


def failure(conversation: Conversation, data: bytes) -> BotFailed:
    with pytest.raises(BotFailed) as caught:
        conversation.receive(data)
    return caught.value


def test_an_answer_may_come_in_pieces() -> None:
    conversation = asked()
    assert conversation.receive(b'{"cell"') == Step(None, b"")
    assert conversation.receive(b":4}\r\n") == Step(Answer(4), b"")


def test_what_came_unasked_is_no_answer_to_the_next_question() -> None:
    conversation = asked()
    conversation.receive(b'{"cell":4}\n{"cell":5}\n')
    assert conversation.ignore(b'{"cell":6}\n')
    conversation.ask(build_turn(4, 0))
    assert conversation.receive(b'{"cell":8}\n').answer == Answer(8)


def test_an_illegal_cell_is_named_with_those_that_were_legal() -> None:
    found = failure(asked(4, 0), b'{"cell":4}\n')
    assert found.kind is FailureKind.ILLEGAL
    assert str(found) == "illegal: cell 4; legal were 1, 2, 3, 5, 6, 7, 8"


def test_a_long_list_of_legal_cells_is_cut() -> None:
    conversation = Conversation(BotProtocol.JSON)
    conversation.ask(build_turn(rules=GOMOKU))
    assert str(failure(conversation, b'{"cell":999}\n')).endswith("10, 11, …")


def test_a_line_without_end_is_not_understood() -> None:
    conversation = asked()
    conversation.receive(b"x" * MOST_BYTES)
    assert "more than 65536 bytes" in str(failure(conversation, b"x"))


def test_a_flood_between_two_questions_is_stopped_and_fails_the_next() -> None:
    conversation = asked()
    conversation.receive(b'{"cell":4}\n')
    assert not conversation.ignore(b"x" * (MOST_BYTES + 1))
    with pytest.raises(BotFailed, match="without an answer"):
        conversation.ask(build_turn(4, 0))


def engine() -> Conversation:
    """Return the talk with an engine that is asked for its second move."""
    conversation = Conversation(BotProtocol.GOMOCUP)
    conversation.ask(build_turn(rules=GOMOKU))
    conversation.receive(b"OK\n0,0\n")
    conversation.ask(build_turn(0, 16, rules=GOMOKU))
    return conversation


@pytest.mark.parametrize(
    "messages", [b"MESSAGE x\r\n" * 200_000, b"message " + b"x" * (2 << 20) + b"\r"]
)
def test_messages_are_dropped_however_many_and_long_and_nothing_else_is(messages: bytes) -> None:
    conversation = engine()
    pieces = messages + b"7,7\n"
    steps = [conversation.receive(pieces[at : at + 65_500]) for at in range(0, len(pieces), 65_500)]
    assert [step.answer for step in steps if step.answer] == [Answer(112)]
    assert conversation.ignore(messages)
    assert conversation.unasked is None
    conversation.ask(build_turn(0, 16, 112, 1, rules=GOMOKU))
    assert conversation.receive(b"6,6\n").answer == Answer(96)


def test_a_line_that_began_before_the_question_is_no_answer() -> None:
    conversation = engine()
    conversation.receive(b"7,7\nMESSAGE pon")
    conversation.ask(build_turn(0, 16, 112, 1, rules=GOMOKU))
    assert conversation.receive(b"der\n6,6\n").answer == Answer(96)
    conversation.ignore(b"5,")
    conversation.ask(build_turn(0, 16, 112, 1, 96, 2, rules=GOMOKU))
    assert conversation.receive(b"5\n4,4\n").answer == Answer(64)


def test_what_came_unasked_is_known_until_the_next_question() -> None:
    conversation = engine()
    conversation.receive(b"7,7\n7,7\n")
    assert conversation.unasked == "7,7"
    conversation.ask(build_turn(0, 16, 112, 1, rules=GOMOKU))
    assert conversation.unasked is None


def test_an_engine_is_led_through_its_steps() -> None:
    conversation = Conversation(BotProtocol.GOMOCUP)
    assert conversation.ask(build_turn(rules=GOMOKU)) == b"ABOUT\nSTART 15\n"
    assert conversation.language.is_preparing
    assert conversation.receive(b"name\n") == Step(None, b"")
    asked = conversation.receive(b"OK\n")
    assert asked.reply.endswith(b"BEGIN\n")
    assert asked.is_asked
    assert conversation.receive(b"7,7\n").answer == Answer(112)
    assert conversation.language.tell_end(GameEnd(None, Reason.FULL)) == b""
    assert conversation.language.say_goodbye() == b"END\n"


def test_an_answer_without_a_question_is_a_fault_of_the_caller() -> None:
    with pytest.raises(RuntimeError):
        Conversation(BotProtocol.JSON).receive(b"x")


def test_a_choice_is_one_of_those_that_are_offered() -> None:
    conversation = Conversation(BotProtocol.JSON)
    asked = build_choosing()
    assert conversation.recall(asked) is None
    conversation.ask(asked)
    assert conversation.receive(b'{"choice":"stay"}\n').answer is Choice.STAY
    conversation.ask(asked)
    words = "illegal: choice more; offered were stay, swap"
    assert str(failure(conversation, b'{"choice":"more"}\n')) == words


def test_a_stone_that_was_named_and_may_not_be_placed_fails_when_its_turn_comes() -> None:
    conversation = Conversation(BotProtocol.GOMOCUP)
    conversation.ask(build_turn(rules=GOMOKU, opening=Opening.SWAP2))
    for line in (b"name\n", b"OK\n", b"7,7 7,7 9,9\n"):
        conversation.receive(line)
    with pytest.raises(BotFailed, match="illegal: cell 112"):
        conversation.recall(build_turn(112, rules=GOMOKU, opening=Opening.SWAP2))
