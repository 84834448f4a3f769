"""The server's own events: the names, the fields and the bytes of the models."""

from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_engine import Position
from ttt_protocol import events as models
from ttt_protocol.codec import InvalidWire, decode_event, encode_message
from ttt_protocol.codes import Reason
from ttt_protocol.state import (
    Ai,
    ChatMode,
    ClockSetting,
    Human,
    Mark,
    OfferKind,
    Outcome,
    Rules,
    SessionId,
    Settings,
    TimeLeft,
)
from ttt_server.core.events import (
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Started,
    TakenBack,
    decode,
    decode_log,
    encode,
    encode_log,
    from_model,
    to_model,
)

NUMBERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MARKS = st.sampled_from(Mark)
KINDS = st.sampled_from(OfferKind)
CHATS = st.sampled_from(ChatMode)
CLOCKS = st.none() | st.builds(TimeLeft, X=NUMBERS, O=NUMBERS)
OUTCOMES = st.builds(
    Outcome,
    winner=st.none() | MARKS,
    reason=st.sampled_from(Reason),
    line=st.none() | st.lists(st.integers(0, 360)).map(tuple),
)
PLAYERS = st.builds(Human, id=TEXTS.map(SessionId), name=TEXTS) | st.builds(
    Ai, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9)
)
SETTINGS = st.builds(
    Settings,
    rules=st.builds(Rules, columns=st.integers(3, 19), gravity=st.booleans()),
    clock=st.none() | st.builds(ClockSetting, initial_s=st.integers(1, 9) | st.floats(0.5, 9)),
    grace_s=st.integers(0, 9) | st.floats(0, 9),
    chat=CHATS,
)
COMMON: dict[str, Any] = {"seq": NUMBERS, "at": NUMBERS}
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        Created,
        **COMMON,
        settings=SETTINGS,
        lock=st.none() | TEXTS,
        host=st.none() | TEXTS.map(SessionId),
    ),
    st.builds(Renamed, **COMMON, seat=MARKS, name=TEXTS),
    st.builds(Moderated, **COMMON, chat=CHATS),
    st.builds(Seated, **COMMON, seat=MARKS, player=PLAYERS),
    st.builds(Left, **COMMON, seat=MARKS),
    st.builds(Started, **COMMON, game=NUMBERS),
    st.builds(
        Played,
        **COMMON,
        game=NUMBERS,
        ply=NUMBERS,
        seat=MARKS,
        cell=NUMBERS,
        reason=st.none() | TEXTS,
        clock=CLOCKS,
    ),
    st.builds(Offered, **COMMON, kind=KINDS, seat=MARKS),
    st.builds(Declined, **COMMON, kind=KINDS, seat=MARKS),
    st.builds(TakenBack, **COMMON, game=NUMBERS, ply=NUMBERS, clock=CLOCKS),
    st.builds(
        Ended,
        **COMMON,
        game=NUMBERS,
        outcome=OUTCOMES,
        detail=st.none() | TEXTS,
        clock=CLOCKS,
    ),
)


def test_there_is_one_of_the_same_name_and_fields_for_each_model() -> None:
    kinds = get_args(Event)
    all_models = get_args(get_args(models.Event)[0])
    assert [kind.__name__ for kind in kinds] == [model.__name__ for model in all_models]
    for kind, model in zip(kinds, all_models, strict=True):
        assert kind.type == model.model_fields["type"].default
        own = [field.name for field in fields(kind) if field.name != "position_after"]
        assert {"type", *own} == set(model.model_fields)


@settings(deadline=None, max_examples=150)  # the clock of a busy machine is no failure
@given(EVENTS)
def test_an_event_is_encoded_as_its_model_is(event: Event) -> None:
    assert encode(event) == encode_message(to_model(event))


@settings(deadline=None, max_examples=150)  # the clock of a busy machine is no failure
@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert from_model(to_model(event)) == event
    assert decode(encode(event)) == event
    assert to_model(event) == decode_event(encode(event))


def test_a_log_comes_back_as_it_was() -> None:
    log = Started(1, 2, game=1), Played(2, 3, 1, 0, Mark.X, 4)
    assert decode_log(encode_log(log)) == log


def test_what_is_no_event_is_not_read() -> None:
    for line in (b"", b"{}", b'{"type":"played","seq":"1"}', b'{"type":"born","seq":1,"at":1}'):
        with pytest.raises(InvalidWire):
            decode(line)


def test_events_of_two_kinds_are_never_equal() -> None:
    offered: Event = Offered(1, 2, OfferKind.DRAW, Mark.X)
    declined: Event = Declined(1, 2, OfferKind.DRAW, Mark.X)
    assert offered != declined
    assert offered == Offered(1, 2, OfferKind.DRAW, Mark.X)


def test_the_position_that_is_handed_on_is_no_part_of_a_move() -> None:
    move = Played(1, 2, 1, 0, Mark.X, 4)
    assert Played(1, 2, 1, 0, Mark.X, 4, position_after=Position.start().play(4)) == move


def test_a_hash_of_a_password_is_not_shown() -> None:
    assert "salt.hash" not in repr(Created(1, 2, Settings(), "salt.hash"))
