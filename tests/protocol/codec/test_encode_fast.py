"""The encoders written by hand give the bytes of the models: for golden files and any values."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_protocol.codec import decode_message, decode_room, encode_event, encode_message
from ttt_protocol.codec.encode_fast import (
    StateTemplate,
    encode_created,
    encode_end,
    encode_human_seat,
    encode_move,
    encode_offer,
    encode_presence,
    encode_seated,
    encode_settings,
    encode_start,
    encode_to_act,
    encode_update,
    encode_welcome,
    encode_you,
)
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.events import Created, Ended, Offered, Played, Seated, Started
from ttt_protocol.messages import Presence, Said, Update, Welcome
from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    Ai,
    AiSeat,
    BySeat,
    ChatMode,
    Clock,
    ClockSetting,
    Game,
    Human,
    HumanSeat,
    Mark,
    OfferKind,
    Offers,
    Outcome,
    Player,
    Role,
    RoomName,
    RoomState,
    Rules,
    Score,
    SessionId,
    Settings,
    Status,
    Token,
    You,
)

GOLDEN = Path(__file__).parents[1] / "golden"
ROOMS = sorted((GOLDEN / "state").glob("room*.json"))

NUMBERS = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.integers(0, 2**53)
MAYBE = st.none() | COUNTS
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MARKS = st.sampled_from(Mark)
MAYBE_MARKS = st.none() | MARKS
CELLS = st.lists(st.integers(0, 360)).map(tuple)
OUTCOMES = st.builds(
    Outcome, winner=MAYBE_MARKS, reason=st.sampled_from(Reason), line=st.none() | CELLS
)
CLOCKS = st.builds(Clock, X=NUMBERS, O=NUMBERS, running=MAYBE_MARKS)
SEATS = (
    st.none()
    | st.builds(
        HumanSeat,
        id=TEXTS.map(SessionId),
        name=TEXTS,
        bot=st.booleans(),
        connected=st.booleans(),
        away_since=MAYBE,
    )
    | st.builds(AiSeat, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9))
)
PLAYERS = st.builds(Human, id=TEXTS.map(SessionId), name=TEXTS, bot=st.booleans()) | st.builds(
    Ai, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9)
)
SETTINGS = st.builds(
    Settings,
    rules=st.builds(Rules, columns=st.integers(3, 19), gravity=st.booleans(), exact=st.booleans()),
    opening=st.sampled_from(Opening),
    clock=st.none() | st.builds(ClockSetting, initial_s=st.integers(1, 9) | st.floats(0.5, 9)),
    grace_s=st.integers(0, 9) | st.floats(0, 9),
    hints=st.booleans(),
    chat=st.sampled_from(ChatMode),
)
GAMES = st.integers(0, 40).flatmap(
    lambda ply: st.builds(
        Game,
        number=COUNTS,
        board=st.text(".XO", min_size=9, max_size=361),
        turn=st.just(Mark.O if ply % 2 else Mark.X) | MARKS,
        ply=st.just(ply),
        moves=st.lists(st.integers(0, 360), min_size=ply, max_size=ply).map(tuple),
        outcome=st.none() | OUTCOMES,
        clock=st.none() | CLOCKS,
    )
)
STATES = st.builds(
    RoomState,
    name=st.from_regex("[a-z0-9][a-z0-9-]{0,31}", fullmatch=True).map(RoomName),
    seq=COUNTS,
    status=st.sampled_from(Status),
    locked=st.booleans(),
    settings=SETTINGS,
    seats=st.builds(BySeat, X=SEATS, O=SEATS),
    game=st.none() | GAMES,
    offers=st.builds(Offers, draw=MAYBE_MARKS, takeback=MAYBE_MARKS, rematch=MAYBE_MARKS),
    score=st.builds(Score, X=COUNTS, O=COUNTS, draws=COUNTS),
    spectators=COUNTS,
    chat=st.sampled_from(ChatMode),
)
YOUS = st.builds(
    You,
    id=st.none() | TEXTS.map(SessionId),
    role=st.sampled_from(Role),
    seat=MAYBE_MARKS,
    name=TEXTS,
    token=st.none() | TEXTS.map(Token),
    from_=st.none() | TEXTS.map(SessionId),
    host=st.sampled_from([None, True]),
    watch=st.none() | TEXTS.map(Token),
)
FEEDS = st.lists(
    st.builds(Said, name=TEXTS, role=st.sampled_from(Role), text=TEXTS, at=st.none() | COUNTS),
    max_size=3,
).map(tuple)
MUTED = st.lists(TEXTS.map(SessionId), max_size=2).map(tuple)
EVENTS = st.builds(Started, seq=COUNTS, at=COUNTS, game=COUNTS) | st.builds(
    Played, seq=COUNTS, at=COUNTS, game=COUNTS, ply=COUNTS, seat=MARKS, cell=COUNTS, reason=TEXTS
)


def encoded(room: RoomState) -> bytes:
    template = StateTemplate.of(
        name=room.name,
        status=room.status,
        locked=room.locked,
        settings=encode_message(room.settings),
        seats=(seat(room.seats.X), seat(room.seats.O)),
        offers=room.offers,
        score=room.score,
        spectators=room.spectators,
        chat=room.chat,
    )
    if (game := room.game) is None:
        return template.without_game(room.seq)
    takes_turns = game.choosing is None and game.turn is tuple(Mark)[game.ply % 2]
    to_act = encode_to_act(game.turn, game.choosing, game.choices, game.to_place)
    return template.with_game(
        room.seq,
        game.number,
        game.board,
        game.moves,
        game.outcome,
        game.clock,
        to_act=b"" if takes_turns and not game.to_place else to_act,
    )


def seat(told: HumanSeat | AiSeat | None) -> bytes:
    match told:
        case None:
            return b"null"
        case HumanSeat(id=session, name=name, bot=bot, connected=connected, away_since=since):
            return encode_human_seat(Human(id=session, name=name, bot=bot), connected, since)
        case AiSeat():
            return encode_message(told)


def told(you: You) -> bytes:
    return encode_you(
        session=you.id,
        role=you.role,
        seat=you.seat,
        name=you.name,
        token=you.token,
        from_=you.from_,
        is_host=you.host is True,
        watch=you.watch,
    )


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), MARKS, NUMBERS, st.none() | TEXTS)
def test_a_move(
    numbers: tuple[int, int, int, int], mark: Mark, cell: int, reason: str | None
) -> None:
    seq, at, game, ply = numbers
    event = Played(seq=seq, at=at, game=game, ply=ply, seat=mark, cell=cell, reason=reason)
    assert encode_move(seq, at, game, ply, mark, cell, reason=reason) == encode_message(event)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(NUMBERS, NUMBERS, NUMBERS, OUTCOMES)
def test_an_end(seq: int, at: int, game: int, outcome: Outcome) -> None:
    event = Ended(seq=seq, at=at, game=game, outcome=outcome)
    assert encode_end(seq, at, game, outcome) == encode_message(event)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(NUMBERS, NUMBERS, st.sampled_from(OfferKind), MARKS)
def test_an_offer(seq: int, at: int, kind: OfferKind, mark: Mark) -> None:
    event = Offered(seq=seq, at=at, kind=kind, seat=mark)
    assert encode_offer(seq, at, kind, mark) == encode_message(event)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_start(seq: int, at: int, game: int) -> None:
    assert encode_start(seq, at, game) == encode_message(Started(seq=seq, at=at, game=game))


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(st.just(DEFAULT_SETTINGS) | SETTINGS)
def test_settings(wanted: Settings) -> None:
    assert encode_settings(wanted) == encode_message(wanted)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(NUMBERS, NUMBERS, SETTINGS, st.none() | TEXTS, st.none() | TEXTS.map(SessionId))
def test_a_creation(
    seq: int, at: int, wanted: Settings, lock: str | None, host: SessionId | None
) -> None:
    event = Created(seq=seq, at=at, settings=wanted, lock=lock, host=host)
    assert encode_created(seq, at, wanted, lock, host) == encode_message(event)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(NUMBERS, NUMBERS, MARKS, PLAYERS)
def test_a_player_who_sits_down(seq: int, at: int, mark: Mark, player: Player) -> None:
    event = Seated(seq=seq, at=at, seat=mark, player=player)
    assert encode_seated(seq, at, mark, player) == encode_message(event)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(st.booleans(), st.booleans(), COUNTS)
def test_a_presence(x: bool, o: bool, spectators: int) -> None:
    presence = Presence(seats=BySeat(X=x, O=o), spectators=spectators)
    assert encode_presence(x, o, spectators) == encode_message(presence)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(GAMES, MARKS, st.lists(st.sampled_from(Choice), min_size=1, unique=True).map(tuple))
def test_a_seat_that_is_to_choose(game: Game, seat: Mark, choices: tuple[Choice, ...]) -> None:
    waits = game.model_copy(update={"turn": seat, "choosing": seat, "choices": choices})
    assert encode_to_act(seat, seat, choices, 0) in encode_message(waits)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(GAMES, MARKS, st.integers(0, 3))
def test_a_seat_that_is_to_place_pieces(game: Game, seat: Mark, to_place: int) -> None:
    places = game.model_copy(update={"turn": seat, "choosing": None, "to_place": to_place})
    encoded = encode_to_act(seat, None, (), to_place)
    assert encoded + b',"ply"' in encode_message(places.model_copy(update={"choices": ()}))


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.stem)
def test_the_state_of_a_golden_file(path: Path) -> None:
    room = decode_room(path.read_bytes())
    assert encoded(room) == encode_message(room)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(STATES)
def test_any_state(room: RoomState) -> None:
    assert encoded(room) == encode_message(room)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(STATES, st.lists(EVENTS, max_size=3))
def test_any_update(room: RoomState, events: list[Any]) -> None:
    update = Update(events=tuple(events), room=room)
    assert encode_update(map(encode_event, events), encoded(room)) == encode_message(update)


@settings(deadline=None)  # the clock of a busy machine is no failure
@given(STATES, YOUS, TEXTS, MAYBE, FEEDS, MUTED)
def test_any_welcome(
    room: RoomState,
    you: You,
    server: str,
    at: int | None,
    feed: tuple[Said, ...],
    muted: tuple[SessionId, ...],
) -> None:
    welcome = Welcome(server=server, you=you, at=at, feed=feed, muted=muted, room=room)
    lines = map(encode_message, feed)
    made = encode_welcome(server, told(you), encoded(room), at, lines, muted)
    assert made == encode_message(welcome)


def test_the_update_of_a_golden_file() -> None:
    update = decode_message((GOLDEN / "messages" / "update.json").read_bytes())
    assert isinstance(update, Update)
    made = encode_update(map(encode_event, update.events), encoded(update.room))
    assert made == encode_message(update)


@pytest.mark.parametrize("name", ["welcome", "welcome-host", "welcome-spectator", "welcome-watch"])
def test_the_welcome_of_a_golden_file(name: str) -> None:
    welcome = decode_message((GOLDEN / "messages" / f"{name}.json").read_bytes())
    assert isinstance(welcome, Welcome)
    you, lines = told(welcome.you), map(encode_message, welcome.feed)
    room, muted = encoded(welcome.room), welcome.muted
    made = encode_welcome(welcome.server, you, room, welcome.at, lines, muted)
    assert made == encode_message(welcome)
