import pytest

from ttt_client.model.typed import (
    HELP,
    Filling,
    Naming,
    NotUnderstood,
    Own,
    Ready,
    TypedAnswer,
    TypedMove,
    Wish,
    Word,
    parse_line,
)
from ttt_protocol.codes import Choice
from ttt_protocol.commands import Leave, Moderate, Rename, Say
from ttt_protocol.state import ChatMode, ModerationAction, OfferKind


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("5", TypedMove("5", number=5)),
        (" 5 \r", TypedMove("5", number=5)),
        ("b2", TypedMove("b2", column_row=(1, 1))),
        ("S19", TypedMove("s19", column_row=(18, 18))),
        ("resign", Wish("resign")),
        ("stay", Choice.STAY),
        ("SWAP", Choice.SWAP),
        ("more", Choice.MORE),
        ("CLAIM", Wish("claim")),
        ("hint", Wish("hint")),
        ("leave", Ready(Leave())),
        ("quit", Own("quit")),
        ("help", Own("help")),
        ("?", Own("help")),
        ("draw", OfferKind.DRAW),
        ("takeback", OfferKind.TAKEBACK),
        ("rematch", OfferKind.REMATCH),
        ("accept", TypedAnswer("accept")),
        ("accept draw", TypedAnswer("accept", OfferKind.DRAW)),
        ("decline Rematch", TypedAnswer("decline", OfferKind.REMATCH)),
        ("fill fair", Filling("fair")),
        ("fill minimax:5", Filling("minimax:5")),
        ("fill random", Filling("random")),
        ("say  hello, you", Ready(Say(text="hello, you"))),
        ("say quit", Ready(Say(text="quit"))),
        ("rename Eve ", Ready(Rename(name="Eve"))),
        ("hide", Own("hide")),
        ("show", Own("show")),
        ("clear", Ready(Moderate(action=ModerationAction.CLEAR))),
        ("chat Off", Ready(Moderate(action=ModerationAction.CHAT, chat=ChatMode.OFF))),
        ("mute  the eve", Naming(ModerationAction.MUTE, "the eve")),
        ("", None),
        ("  \t", None),
    ],
)
def test_a_line_is_one_word_of_the_client(line: str, word: Word | None) -> None:
    assert parse_line(line) == word


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "5 6",
        "resign now",
        "b123",
        "bb2",
        "-1",
        "\u0665",
        "12345",
        "say",
        "say \x1b[2J",
        "say " + "x" * 201,
        "fill",
        "fill minimax:99",
        "accept everything",
        "\x1b[2J",
        "? me",
        "rename",
        "rename \x1b[2J",
        "chat",
        "chat nobody",
        "clear all",
    ],
)
def test_anything_else_is_answered_in_clean_words(line: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        parse_line(line)
    assert "\x1b" not in str(refusal.value)


def test_what_was_not_understood_is_repeated_and_cut() -> None:
    with pytest.raises(NotUnderstood, match=r'^"what is this" was not understood'):
        parse_line("what\tis  this\x1b[2J")
    with pytest.raises(NotUnderstood, match=r'^"x{40}\.\.\." was not'):
        parse_line("x" * 50)


def test_everything_in_the_help_is_understood() -> None:
    for row in HELP.splitlines():
        for words in row[:17].replace(" or ", ", ").split(", "):
            assert parse_line(words) is not None
