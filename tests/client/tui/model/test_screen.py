from dataclasses import replace

from tests.client.conftest import SEATS, build_room, build_update, build_welcome
from tests.client.tui.pictures import CLOCK, EMPTY, NOW, away, draw, hinted, screen_of, thinking
from ttt_client.model.typed import NOT_CONNECTED
from ttt_client.tui.model.connection import Connecting, Live, Lost
from ttt_client.tui.model.screen import FeedLine, Occasion, Pending
from ttt_protocol.codes import REASONS, RefusalCode
from ttt_protocol.commands import Play, Resign
from ttt_protocol.messages import Cleared, Presence, Refused, Said
from ttt_protocol.state import BySeat, Mark, Role, SessionId


def test_a_clock_runs_since_it_was_told() -> None:
    shown = screen_of(build_room(moves=(4,), clock=CLOCK))
    assert shown.left_ms(Mark.O, NOW + 2.5) == 12_500
    assert shown.left_ms(Mark.X, NOW + 2.5) == 65_000
    assert shown.left_ms(Mark.O, NOW + 99) == 0
    assert screen_of(build_room()).left_ms(Mark.X, NOW) is None
    assert EMPTY.left_ms(Mark.X, NOW) is None


def test_presence_does_not_set_a_clock_back() -> None:
    here = Presence(seats=BySeat[bool](X=True, O=True), spectators=1)
    shown = screen_of(build_room(moves=(4,), clock=CLOCK)).hear(here, NOW + 2)
    assert shown.left_ms(Mark.O, NOW + 2.5) == 12_500


def test_a_player_is_away_from_when_it_was_told_until_they_are_back() -> None:
    gone = away()
    assert gone.away_s(Mark.O, NOW + 13) == 12
    assert gone.away_s(Mark.X, NOW + 13) is None
    assert not gone.claimable(NOW + 60)
    assert gone.claimable(NOW + 61)
    again = gone.hear(Presence(seats=BySeat[bool](X=True, O=False), spectators=5), NOW + 5)
    assert again.away_s(Mark.O, NOW + 13) == 12
    back = again.hear(Presence(seats=BySeat[bool](X=True, O=True), spectators=5), NOW + 6)
    assert back.away_s(Mark.O, NOW + 13) is None
    assert back.feed[-1] == FeedLine("news", "bob (O) is back")
    assert not EMPTY.claimable(NOW)


def test_only_an_empty_seat_can_be_filled_at_once() -> None:
    assert screen_of(build_room(o=None)).can_fill
    assert not screen_of(build_room()).can_fill
    assert not EMPTY.can_fill


def test_a_hint_is_for_one_position() -> None:
    shown = hinted()
    assert shown.hint is not None
    said = Said(name="bob", role=Role.PLAYER, text="hm")
    assert shown.hear(said, NOW).hint is shown.hint
    assert shown.hear(build_update(build_room(moves=(4, 0))), NOW).hint is shown.hint
    assert shown.hear(build_update(build_room(moves=(4, 0, 2))), NOW).hint is None
    assert shown.hear(build_update(build_room(o=None)), NOW).hint is None


def test_an_ai_gives_its_reason_until_it_moves_again_or_the_next_game_begins() -> None:
    shown = thinking()
    assert shown.thoughts == {Mark.X: "corner", Mark.O: "depth 5, draw"}
    played = {"type": "played", "game": 1, "ply": 4, "seat": "X", "cell": 6}
    after = build_room("rules", "minimax", moves=(4, 0, 8, 2, 6))
    assert shown.hear(build_update(after, played), NOW).thoughts == {Mark.O: "depth 5, draw"}
    started = {"type": "started", "game": 2}
    assert shown.hear(build_update(build_room(number=2), started), NOW).thoughts == {}


def test_another_room_begins_with_no_thoughts() -> None:
    other = build_welcome(build_room("rules", "minimax", name="other"), None)
    shown = thinking().hear(other, NOW)
    assert (shown.place, shown.thoughts) == ("other", {})


def test_a_refusal_is_noticed_until_something_happens() -> None:
    code = RefusalCode.NOT_YOUR_TURN
    room = build_room(moves=(4,))
    reason = REASONS[code]
    message = Refused(command="play", code=code, reason=reason, room=room)
    shown = screen_of(build_room()).hear(message, NOW + 5)
    assert shown.notice == "you already moved: it is bob's turn (O)"
    assert shown.feed == (), "it stands beside the board"
    assert (shown.view.game, shown.heard_at) == (room.game, NOW + 5)
    assert shown.hear(build_update(build_room(moves=(4, 0))), NOW).notice == ""
    assert shown.hear(build_welcome(build_room()), NOW).notice == shown.notice


def test_that_there_was_no_connection_is_noticed_until_there_is_one() -> None:
    waiting = replace(screen_of(build_room()), notice=NOT_CONNECTED)
    assert waiting.hear(build_welcome(build_room()), NOW).notice == ""


def test_a_refused_join_is_no_news() -> None:
    refused = Refused(command="join", code=RefusalCode.BAD_TOKEN, reason="gone")
    assert EMPTY.hear(refused, NOW).feed == ()


def test_the_connection_is_what_was_last_heard_of_it() -> None:
    assert EMPTY.connection == Connecting()
    assert EMPTY.measure(0.1, NOW).connection == Connecting()
    shown = screen_of(build_room())
    assert shown.connection == Live(0.0034, NOW)
    heard = shown.hear(Said(name="bob", role=Role.PLAYER, text="hm"), NOW + 1)
    assert heard.connection == Live(0.0034, NOW + 1)
    lost = shown.lose("gone", 7.0, 5.0)
    assert lost.connection == Lost("gone", 7.0, 5.0)
    assert lost.lose("gone", 9.0, 8.0).connection == Lost("gone", 9.0, 5.0)
    assert lost.hear(build_welcome(build_room()), NOW).connection == Live(heard_at=NOW)


def test_clocks_stand_still_while_the_connection_is_lost() -> None:
    shown = screen_of(build_room(moves=(4,), clock=CLOCK)).lose("gone", NOW + 9, NOW + 2)
    assert shown.left_ms(Mark.O, NOW + 8) == 13_000


def test_a_server_that_says_nothing_is_silent() -> None:
    assert Live(0.1).silent_s(NOW) is None
    assert Live(0.1, NOW).silent_s(NOW + 6) is None
    assert Live(0.1, NOW).silent_s(NOW + 8) == 8


def test_a_pending_move_has_the_mark_that_will_stand() -> None:
    for variant, ply, mark in (("notakto", 1, Mark.X), ("connect6", 2, Mark.O)):
        room = build_room(moves=tuple(range(ply)), rules={"variant": variant})
        sent = screen_of(room).send([Play(game=1, ply=ply, cell=8)], NOW)
        assert sent.pending == Pending(NOW, 8, mark)


def test_a_move_is_pending_until_it_is_answered() -> None:
    shown = screen_of(build_room())
    sent = shown.send([Resign(game=1), Play(game=1, ply=0, cell=4)], NOW)
    assert sent.pending == Pending(NOW, 4, Mark.X)
    assert sent.send([Play(game=1, ply=0, cell=4)], NOW + 1).pending == Pending(NOW, 4, Mark.X)
    assert shown.send([Resign(game=1)], NOW).pending == Pending(NOW)
    assert sent.send([], NOW).pending is None
    assert shown.waiting_s(NOW) is None
    assert sent.waiting_s(NOW + 2) is None
    assert sent.waiting_s(NOW + 4) == 4


def test_old_talk_is_forgotten_and_all_of_it_is_clean() -> None:
    shown = EMPTY.add("said", [f"\x1b[31m{number}" for number in range(300)])
    assert (shown.feed[0].text, shown.feed[-1].text, len(shown.feed)) == ("100", "299", 200)


def test_presence_before_any_room_is_nothing() -> None:
    here = Presence(seats=BySeat[bool](X=True, O=True), spectators=1)
    assert EMPTY.hear(here, NOW) == replace(EMPTY)


def test_a_move_is_drawn_as_pending_unless_the_answer_comes_as_soon() -> None:
    sent = screen_of(build_room()).send([Play(game=1, ply=0, cell=4)], NOW)
    assert sent.pending_move(NOW + 0.01) is None
    assert sent.pending_move(NOW + 0.1) == (4, Mark.X)


def spoken(text: str, at: int) -> Said:
    return Said(name="bob", role=Role.PLAYER, text=text, from_=SessionId("idb"), at=at)


def test_talk_is_there_again_after_a_reconnection_hidden_on_demand_and_cleared() -> None:
    welcomed = build_welcome(build_room()).model_copy(update={"feed": (spoken("one", 1),)})
    shown = EMPTY.hear(welcomed, NOW).hear(spoken("two", 2), NOW)
    feed = (spoken("one", 1), spoken("two", 2), spoken("three", 3))
    shown = shown.hear(welcomed.model_copy(update={"feed": feed}), NOW)
    assert [line.text for line in shown.feed] == ["bob: one", "bob: two", "bob: three"]
    hidden = replace(shown.add("news", ["bob is back"]), hides_chat=True)
    assert [line.text for line in hidden.shown_feed] == ["bob is back"]
    cleared = shown.hear(Cleared(), NOW)
    assert [line.text for line in cleared.feed] == ["the host cleared the chat"]


def test_a_player_is_away_since_the_server_says_so() -> None:
    bob = {"kind": "human", "id": "idb", "name": "bob", "connected": False, "away_since": 10_000}
    room = build_room(seats={"X": SEATS["ada"], "O": bob})
    shown = EMPTY.hear(build_welcome(room).model_copy(update={"at": 52_000}), NOW)
    assert shown.away_s(Mark.O, NOW) == 42
    back = Presence(seats=BySeat[bool](X=True, O=True), spectators=0)
    gone = Presence(seats=BySeat[bool](X=True, O=False), spectators=0)
    later = shown.hear(back, NOW + 1).hear(gone, NOW + 2)
    assert later.away_s(Mark.O, NOW + 5) == 3
    unknown = EMPTY.hear(build_welcome(room), NOW)
    assert unknown.away_s(Mark.O, NOW + 5) == 5


def test_after_a_restart_the_feed_is_as_before() -> None:
    room = build_room(moves=(4, 0), name="den")
    talk = spoken("hello", 25), spoken("later", 99)
    message = build_welcome(room, None).model_copy(update={"feed": talk})
    told = [
        {"type": "started", "game": 1, "seq": 1, "at": 10},
        {
            "type": "played",
            "game": 1,
            "ply": 0,
            "seat": "X",
            "cell": 4,
            "at": 20,
            "reason": "centre",
        },
        {"type": "played", "game": 1, "ply": 1, "seat": "O", "cell": 0, "at": 30},
    ]
    events = build_update(room, *told).events
    ended = {
        "type": "ended",
        "game": 1,
        "outcome": {"winner": "X", "reason": "resignation", "line": None},
    }
    newer = {"type": "taken_back", "game": 1, "ply": 0, "seq": room.seq + 1, "at": 50}
    events += build_update(room, {**ended, "at": 40}, newer).events
    shown = EMPTY.hear(message, NOW).add("news", ["after"]).recall(events, message)
    assert [line.text for line in shown.feed] == [
        "game 1: ada (X) against bob (O)",
        "ada (X) played 5: centre",
        "bob: hello",
        "bob (O) played 1",
        "ada (X) won: by resignation",
        "bob: later",
        "after",
    ]
    assert shown.feed[2].kind == "said"


def test_in_a_pause_of_the_event_all_clocks_stand_still() -> None:
    shown = screen_of(build_room(clock={"X": 65_000, "O": 15_000, "running": "O"}))
    paused = replace(shown, occasion=Occasion("Friday", "paused", paused_at=NOW + 2))
    assert paused.left_ms(Mark.O, NOW + 1) == 14_000
    assert paused.left_ms(Mark.O, NOW + 9) == 13_000
    earlier = replace(shown, occasion=Occasion("Friday", "paused", paused_at=NOW - 2))
    assert earlier.left_ms(Mark.O, NOW + 9) == 15_000
    assert (shown.heading, paused.heading) == (shown.place, "Friday")


def test_a_move_that_is_lost_is_said_while_the_connection_is_lost() -> None:
    shown = replace(screen_of(build_room()), notice="5 is taken").lose("gone", NOW + 3, NOW)
    assert shown.notice == "", "it was for another time"
    said = replace(shown, notice="not connected: 5 was not played").lose("gone", NOW + 6, NOW + 3)
    assert "not connected: 5 was not played" in draw(said).text
    back = said.hear(build_welcome(build_room()), NOW + 7)
    assert back.notice == ""
