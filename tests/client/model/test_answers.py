from dataclasses import replace
from typing import Any

import pytest

from tests.client.conftest import build_room, build_update, build_view, build_welcome
from ttt_client.model.answers import answered, answers, survives
from ttt_client.model.view import View
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.commands import (
    Accept,
    AskHint,
    Choose,
    Claim,
    Command,
    Decline,
    Fill,
    Leave,
    Moderate,
    Offer,
    Play,
    Rename,
    Resign,
    Say,
)
from ttt_protocol.messages import Cleared, Hint, Message, Presence, Refused, Said
from ttt_protocol.state import BySeat, Mark, ModerationAction, OfferKind, Role

NO = RefusalCode.RATE_LIMITED
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
PLAY = Play(game=1, ply=0, cell=4)
OFFER = Offer(kind=OfferKind.DRAW)
SAID = Said(name="renamed", role=Role.PLAYER, text="hi")
HINT = Hint(best=(), values={}, reason="")


@pytest.mark.parametrize(
    ("message", "command", "answer"),
    [
        (Refused(command="play", code=NO, reason="no"), PLAY, True),
        (Refused(command=None, code=NO, reason="no"), PLAY, True),
        (Refused(command="say", code=NO, reason="no"), PLAY, False),
        (Refused(command="play", code=NO, reason="no", id="1"), PLAY, False),
        (Refused(command="say", code=NO, reason="no", id="1"), Say(text="hi", id="1"), True),
        (HINT, AskHint(), True),
        (HINT, PLAY, False),
        (Said(name="me", role=Role.PLAYER, text="hi"), Say(text="hi"), True),
        (Said(name="bob", role=Role.PLAYER, text="hi"), Say(text="hi"), False),
        (Said(name="me", role=Role.PLAYER, text="hi"), PLAY, False),
        (SAID.model_copy(update={"from_": "ida"}), Say(text="hi"), True),
        (SAID.model_copy(update={"from_": "idb", "name": "me"}), Say(text="hi"), False),
        (Cleared(), Moderate(action=ModerationAction.CLEAR), True),
        (Cleared(), PLAY, False),
        (Presence(seats=BySeat(X=True, O=True), spectators=0), PLAY, False),
    ],
)
def test_what_answers_a_command(message: Message, command: Command, *, answer: bool) -> None:
    assert answers(message, command, build_view(build_room())) is answer


CHOOSE = Choose(game=1, ply=1, choice=Choice.SWAP)
CHOSEN = {"type": "chosen", "game": 1, "ply": 1, "seat": "O", "choice": "swap"}
OPEN: dict[str, Any] = {"turn": Mark.O, "choosing": Mark.O, "choices": (Choice.STAY, Choice.SWAP)}


def test_a_choice_is_answered_by_a_state_in_which_it_is_open_no_more() -> None:
    room = build_room(moves=(4,))
    assert room.game is not None
    waits = replace(room, game=replace(room.game, **OPEN))
    spoken = {"type": "offered", "kind": "draw", "seat": "X"}
    assert not answers(build_update(waits, spoken), CHOOSE, build_view(waits))
    assert answers(build_update(room, CHOSEN), CHOOSE, build_view(room))
    assert answers(build_welcome(room), CHOOSE, build_view(room))
    assert answers(build_update(waits), CHOOSE, build_view(build_room(number=2)))
    assert survives(CHOOSE)


OFFERED = {"type": "offered", "kind": "draw", "seat": "X"}
THEIRS = {"type": "offered", "kind": "draw", "seat": "O"}
ENDED = {"type": "ended", "game": 1, "outcome": LINE}
DECLINED = {"type": "declined", "kind": "draw", "seat": "O"}
SEATED = {"type": "seated", "seat": "O", "player": {"kind": "human", "id": "ib", "name": "b"}}


@pytest.mark.parametrize(
    ("command", "event", "after", "answer"),
    [
        (PLAY, OFFERED, {}, False),
        (PLAY, OFFERED, {"moves": (4,)}, True),
        (PLAY, OFFERED, {"moves": (5,)}, False),
        (PLAY, ENDED, {"outcome": LINE}, False),
        (PLAY, OFFERED, {"number": 2}, True),
        (Resign(game=1), OFFERED, {"moves": (4,)}, False),
        (Resign(game=1), ENDED, {"outcome": LINE}, True),
        (Claim(game=1), OFFERED, {"number": 2}, True),
        (Claim(game=1), SEATED, {"o": None}, False),
        (OFFER, OFFERED, {}, True),
        (OFFER, THEIRS, {}, False),
        (OFFER, ENDED, {"outcome": LINE}, True),
        (Accept(kind=OfferKind.DRAW), ENDED, {"outcome": LINE}, True),
        (Accept(kind=OfferKind.DRAW), THEIRS, {}, False),
        (Decline(kind=OfferKind.DRAW), DECLINED, {}, True),
        (Decline(kind=OfferKind.DRAW), OFFERED, {}, False),
        (Fill(seat=Mark.O, strategy="rules"), SEATED, {}, True),
        (Fill(seat=Mark.O, strategy="rules"), OFFERED, {}, False),
        (AskHint(), OFFERED, {}, False),
        (AskHint(), OFFERED, {"moves": (4,)}, True),
        (Say(text="hi"), OFFERED, {}, False),
        (Leave(), OFFERED, {}, False),
        (Rename(name="eve"), OFFERED, {}, True),
    ],
)
def test_an_update_answers_what_led_to_it(
    command: Command, event: dict[str, Any], after: dict[str, Any], *, answer: bool
) -> None:
    now = build_room(**after)
    assert answers(build_update(now, event), command, build_view(now)) is answer


def test_an_update_without_events_answers_no_move_that_it_lacks() -> None:
    room = build_room(moves=(4,))
    later = Play(game=1, ply=1, cell=0)
    assert answers(build_update(room), PLAY, build_view(room))
    assert not answers(build_update(room), later, build_view(room))
    assert answered([PLAY, later], build_update(room), View(), build_view(room)) == [PLAY]


def test_a_welcome_answers_what_the_state_shows() -> None:
    view = build_view(build_room(moves=(4,)))
    welcome = build_welcome(build_room(moves=(4,)))
    assert answers(welcome, PLAY, view)
    assert not answers(welcome, Resign(game=1), view)
    assert not answers(welcome, OFFER, view)


def test_an_update_without_events_answers_one_command_that_changed_nothing() -> None:
    before = view = build_view(build_room())
    asked: list[Command] = [Say(text="hi"), AskHint(), OFFER, PLAY]
    assert answered(asked, build_update(build_room()), before, view) == [OFFER]


def test_one_refusal_answers_one_command_and_a_hint_or_move_all() -> None:
    before, now = build_view(build_room()), build_room(moves=(4,))
    asked: list[Command] = [AskHint(), PLAY, AskHint(), PLAY]
    refused = Refused(command="hint", code=NO, reason="no")
    assert answered(asked, refused, before, before) == [AskHint()]
    assert answered(asked, HINT, before, before) == [AskHint(), AskHint()]
    assert answered(asked, build_update(now, OFFERED), before, build_view(now)) == asked


@pytest.mark.parametrize(
    "command",
    [
        OFFER,
        Accept(kind=OfferKind.TAKEBACK),
        Decline(kind=OfferKind.TAKEBACK),
        Fill(seat=Mark.O, strategy="rules"),
        Say(text="hi"),
    ],
)
def test_skipped_updates_may_have_had_the_answer(command: Command) -> None:
    view = build_view(now := build_room(moves=(4, 0)))
    update = build_update(now, {"type": "played", "game": 1, "ply": 1, "seat": "O", "cell": 0})
    assert answered([command], update, build_view(build_room()), view) == [command]
    assert answered([command], update, build_view(build_room(moves=(4,))), view) == []
    assert answered([command], update, View(), view) == []


def test_what_never_acts_twice_survives_its_connection() -> None:
    assert [survives(one) for one in (PLAY, Resign(game=1), Claim(game=1), OFFER)] == [
        True,
        True,
        True,
        False,
    ]


def test_what_was_said_answers_one_say() -> None:
    view = build_view(build_room())
    said = SAID.model_copy(update={"from_": "ida"})
    first, second = Say(text="hi"), Say(text="ho")
    assert answered([first, second], said, view, view) == [first]
