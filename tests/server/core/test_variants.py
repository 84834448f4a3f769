"""The variants in a room: what it shows, refuses, takes back and clocks."""

from random import Random

import pytest

from tests.engine.variants.plugins import example, install
from tests.server.examples import (
    ADA,
    BOB,
    NAME,
    NOW,
    TAKEBACK,
    O,
    X,
    after,
    decided,
    duel,
    moved,
    offered,
    refusal,
)
from ttt_engine import Position, Rules
from ttt_engine.variant import variant_of
from ttt_protocol.codec import decode_record, decode_room, encode_message
from ttt_protocol.codes import Opening, Reason
from ttt_protocol.commands import Accept, Join, Play
from ttt_protocol.events import Created, Ended
from ttt_protocol.state import ClockSetting, Mark, Outcome, RoomState, Settings, Status, TimeLeft
from ttt_protocol.state import Rules as WireRules
from ttt_server.core.archive.saved_room import restore, save
from ttt_server.core.errors import InvalidLog, Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.game_record import exported_games, record_of
from ttt_server.core.play import play, time_left
from ttt_server.core.room import Room, require_opens, whole_rules, wire_rules
from ttt_server.core.room import _rules as room_rules
from ttt_server.core.seating import admit, create
from ttt_server.core.snapshot import Here, StateEncoder, room_state

TEXTS = (
    *("misere:7x6x4g", "torus:5x5x4", "vanishing:3x3x3", "notakto:4x4x4"),
    *("cube:3", "ultimate", "connect6"),
)
HERE = Here(X=True, O=True)
CLOCK = ClockSetting(initial_s=60, increment_s=5)


def rules_of(text: str) -> WireRules:
    return wire_rules(Rules.parse(text))


def game_at_random(text: str, most: int = 400) -> tuple[int, ...]:
    """Cells of a game from its start to its end, or up to `most`."""
    random, position = Random(text), Position.start(Rules.parse(text))
    moves: list[int] = []
    while position.outcome() is None and len(moves) < most:
        moves.append(random.choice(position.legal_moves))
        position = position.play(moves[-1])
    return tuple(moves)


def state(room: Room) -> RoomState:
    encoded = StateEncoder().encode(room, HERE, 0, NOW)
    found = room_state(room, HERE, 0, NOW)
    assert encoded == found.to_json()
    assert decode_room(encoded) == found
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_a_whole_game(text: str) -> None:
    room, position = duel(rules=rules_of(text)), Position.start(Rules.parse(text))
    for cell in game_at_random(text):
        assert room.game is not None
        assert room.game.turn.value == position.turn.value
        room, position = moved(room, cell), position.play(cell)
        game = state(room).game
        assert game is not None
        assert (game.board, game.turn.value, game.ply) == (
            position.board,
            position.turn.value,
            position.ply,
        )
        assert (game.legal, game.boards, game.marks) == (
            position.legal,
            position.boards,
            position.marks,
        )
        leaving = game.leaving and (game.leaving.X, game.leaving.O)
        assert leaving == position.leaving
    assert room.game is not None
    found, outcome = position.outcome(), room.game.outcome
    assert found is not None
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.line) == (
        found.winner,
        found.reason,
        found.line,
    )
    assert restore(NAME, save(room)) == room


@pytest.mark.parametrize("text", TEXTS)
def test_moves_are_taken_back_by_turns(text: str) -> None:
    most = 7
    room = duel(rules=rules_of(text), clock=CLOCK)
    cells = game_at_random(text, most)
    if Position.after(cells, Rules.parse(text)).outcome() is not None:
        cells = cells[:-1]
    rooms = [room]
    for cell in cells:
        rooms.append(moved(rooms[-1], cell, now=NOW))
    last = rooms[-1]
    assert last.game is not None
    seat = last.game.turn.other
    session = ADA if seat is X else BOB
    back = after(
        offered(last, session, TAKEBACK), BOB if session is ADA else ADA, Accept(kind=TAKEBACK)
    )
    assert back.game is not None
    turns = last.game.turns
    first = len(cells)
    while first and turns[first - 1] is seat:
        first -= 1
    was = rooms[first].game
    assert was is not None
    assert (back.game.position, back.game.moves) == (was.position, was.moves)
    assert back.game.position.board == was.position.board
    assert time_left(back, NOW) == time_left(rooms[first], NOW)


def test_a_vanished_mark_comes_back() -> None:
    room = duel(0, 1, 4, 2, 5, 3, 7, rules=rules_of("vanishing:3x3x3"))
    assert room.game is not None
    assert room.game.position.board == ".OOOXX.X."
    back = after(offered(room, ADA, TAKEBACK), BOB, Accept(kind=TAKEBACK))
    assert back.game is not None
    assert back.game.position.board == "XOOOXX..."


def test_the_increment_of_connect6_comes_with_the_turn() -> None:
    room = moved(duel(rules=rules_of("connect6"), clock=CLOCK), 180)
    assert time_left(room, NOW) == TimeLeft(X=65_000, O=60_000)
    room = moved(room, 181, now=NOW + 1000)
    assert time_left(room, NOW + 1000) == TimeLeft(X=65_000, O=59_000)
    room = moved(room, 182, now=NOW + 3000)
    assert time_left(room, NOW + 3000) == TimeLeft(X=65_000, O=62_000)


def test_a_move_sent_twice_is_the_same_in_the_middle_of_a_turn() -> None:
    room = duel(180, 181, 182, rules=rules_of("connect6"))
    for ply, (seat, cell) in enumerate([(X, 180), (O, 181), (O, 182)]):
        repeated = play(room, seat, Play(game=1, ply=ply, cell=cell), NOW)
        assert not repeated.events
    wrong = Play(game=1, ply=2, cell=182)
    assert refusal(room, ADA, wrong).code == "stale_ply"


def test_another_board() -> None:
    room = duel(0, rules=rules_of("ultimate"))
    refused = refusal(room, BOB, Play(game=1, ply=1, cell=80))
    assert refused.code == "other_board"
    assert refused.legal == (1, 2, 9, 10, 11, 18, 19, 20)
    refused = refusal(room, BOB, Play(game=1, ply=1, cell=0))
    assert refused.code == "cell_taken"
    assert refused.legal == (1, 2, 9, 10, 11, 18, 19, 20)


def test_a_draw_by_repetition() -> None:
    cells = [cell for pair in zip((0, 1, 5, 6) * 3, (2, 3, 7, 8) * 3, strict=True) for cell in pair]
    rules = rules_of("vanishing:3x3x3")
    assert duel(*cells[:21], rules=rules).status is Status.PLAYING
    room = duel(*cells[:22], rules=rules)
    assert room.game is not None
    assert room.game.outcome == Outcome(winner=None, reason=Reason.REPETITION)
    assert room.score.draws == 1


@pytest.mark.parametrize("text", TEXTS)
def test_a_record_has_the_boards(text: str) -> None:
    rules, position = rules_of(text), Position.start(Rules.parse(text))
    log = [*create(NAME, Settings(rules=rules), NOW)]
    for session in (ADA, BOB):
        room = evolve_all(Room(NAME), log)
        log += admit(room, session, Join(name=session), NOW)
    boards = []
    for ply, cell in enumerate(game_at_random(text, 9)):
        room = evolve_all(Room(NAME), log)
        log += play(room, Mark(position.turn), Play(game=1, ply=ply, cell=cell), NOW)
        position = position.play(cell)
        boards.append(position.board)
    record = record_of(Room(NAME), log, 1)
    assert record is not None
    assert record.boards == tuple(boards)
    assert [game.boards for game in exported_games(Room(NAME), log)] == [tuple(boards)]
    assert decode_record(encode_message(record)) == record


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"variant": "ultimate"}, "ultimate"),
        ({"variant": "connect6"}, "connect6"),
        ({"variant": "misere"}, "misere:3x3x3"),
        ({"variant": "cube", "in_a_row": 4}, "cube:4"),
        ({"variant": "cube", "columns": 3}, "cube:3"),
        ({"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}, "7x6x4g"),
        (
            {"variant": "misere", "columns": 7, "rows": 6, "in_a_row": 4, "gravity": True},
            "misere:7x6x4g",
        ),
    ],
)
def test_what_is_left_out_is_filled_in(given: dict[str, object], text: str) -> None:
    whole = whole_rules(WireRules.model_validate(given), "rules")
    assert str(Rules.parse(text)) == text
    assert whole == rules_of(text)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"variant": "ultimat"}, "settings.rules.variant: did you mean ultimate?"),
        ({"variant": "chess<b>"}, "settings.rules.variant: "),
        ({"variant": "torus", "in_a_row": 4}, "settings.rules: "),
        ({"variant": "ultimate", "columns": 8}, "settings.rules: ultimate has no board 8x9x3"),
        ({"variant": "ultimate", "gravity": True}, "settings.rules: "),
        ({"variant": "misere", "exact": True}, "settings.rules: "),
    ],
)
def test_no_such_game(given: dict[str, object], reason: str) -> None:
    with pytest.raises(Refused) as caught:
        whole_rules(WireRules.model_validate(given), "settings.rules")
    assert caught.value.code == "bad_command"
    assert caught.value.reason.startswith(reason)
    assert "<b>" not in caught.value.reason


def test_openings() -> None:
    for kind in (Opening.NONE, Opening.PIE):
        require_opens(kind, Rules.parse("ultimate"), "opening")
    for kind, text in ((Opening.PIE, "connect6"), (Opening.SWAP2, "torus:15x15x5")):
        with pytest.raises(Refused, match="bad_command"):
            require_opens(kind, Rules.parse(text), "opening")


def test_a_plug_in_that_fails_makes_the_game_void(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(monkeypatch)
    room = duel(0, 1, rules=WireRules(variant="chaos", columns=5, rows=5, in_a_row=4))

    def fails(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(module.ChaosPosition, "play", fails)
    decision = decided(room, ADA, Play(game=1, ply=2, cell=2))
    (ended,) = decision.events
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=None, reason=Reason.VOID)
    assert ended.detail == "chaos: play fails: RuntimeError"
    assert decision.after.status is Status.FINISHED
    assert decision.after.score == room.score
    assert decision.after.game is not None
    assert decision.after.game.moves == (0, 1)


def test_a_room_without_its_plug_in_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        example(here)
        here.setattr("ttt_server.core.seating.package_of", lambda _: "ttt-chaos")
        rules = WireRules(variant="chaos", columns=5, rows=5, in_a_row=4)
        log = [*create(NAME, Settings(rules=rules), NOW)]
        saved = save(duel(0, rules=rules))
    variant_of.cache_clear()
    room_rules.cache_clear()
    assert isinstance(log[0], Created)
    assert log[0].package == "ttt-chaos"
    with pytest.raises(InvalidLog, match="'chaos', which needs the package ttt-chaos"):
        evolve_all(Room(NAME), log)
    log[0].package = None
    with pytest.raises(InvalidLog, match="needs a package that is not installed"):
        evolve_all(Room(NAME), log)
    with pytest.raises(InvalidLog):
        restore(NAME, saved)


def test_a_plug_in_that_cannot_start_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, broken=lambda: 4)
    with pytest.raises(Refused) as caught:
        whole_rules(WireRules(variant="broken"), "settings.rules")
    assert caught.value.reason.startswith("settings.rules.variant: variant 'broken' is no ")
