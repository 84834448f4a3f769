"""The pictures that are kept as golden files: their names, and how to draw them."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.client import variants
from tests.client.conftest import build_room, build_update, build_welcome
from tests.client.text.test_standings import event, game, standing
from tests.client.text.test_wall import board
from ttt_client.play.replay import recording_of
from ttt_client.tui.draw.canvas import Picture, Size
from ttt_client.tui.draw.event import draw_event, rows_seen
from ttt_client.tui.draw.frame import painted
from ttt_client.tui.draw.layout import draw_room
from ttt_client.tui.draw.room_list import draw_rooms
from ttt_client.tui.model.connection import Live, Lost
from ttt_client.tui.model.event import EventScreen
from ttt_client.tui.model.input import InputState, TextField
from ttt_client.tui.model.room_list import NewRoom, RoomList
from ttt_client.tui.model.screen import Occasion, OpponentSearch, ScreenState
from ttt_client.tui.scenes.replay import draw_replay, screens
from ttt_protocol.commands import Play
from ttt_protocol.messages import AiOffered, Hint, Presence, Refused, Rooms, Said
from ttt_protocol.records import GameRecord
from ttt_protocol.state import BySeat, ClockSetting, RoomName, RoomState
from ttt_protocol.tournament.messages import Boards, TournamentWelcome, TournamentYou
from ttt_protocol.tournament.settings import Form, Result, TournamentSettings

EMPTY = ScreenState("room42", "127.0.0.1:8765")
NOW = 100.0
FOUR = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
GOMOKU = {"columns": 19, "rows": 19, "in_a_row": 5}
FIFTEEN = {"columns": 15, "rows": 15, "in_a_row": 5, "exact": True}
CHOOSING: dict[str, Any] = {
    "rules": FIFTEEN,
    "moves": (112, 113, 128),
    "opening": "swap2",
    "choosing": "O",
    "choices": ("stay", "swap", "more"),
}
PLACING: dict[str, Any] = {"rules": FIFTEEN, "opening": "swap2"}
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
SEARCHING = replace(EMPTY, search=OpponentSearch("15x15, 5 in a row", NOW))
PASSWORD = TextField("sesame", kind="password", prompt="password of the room: ")
CLOCKED = TournamentSettings(form=Form.SWISS, clock=ClockSetting(initial_s=90, increment_s=2))
CLOCK = {"X": 65_000, "O": 15_000, "running": "O"}


def screen_of(room: RoomState, seat: str | None = "X") -> ScreenState:
    return EMPTY.hear(build_welcome(room, seat), NOW).measure(0.0034, NOW)


def draw(
    shown: ScreenState,
    columns: int = 80,
    rows: int = 24,
    *,
    inputs: InputState | None = None,
    later: float = 0.0,
    ascii_only: bool = False,
    silent: bool = False,
) -> Picture:
    size = Size(columns, rows)
    if isinstance(shown.connection, Live) and not silent:
        shown = replace(shown, connection=replace(shown.connection, heard_at=NOW + later))
    given = inputs or InputState()
    return painted(
        size, lambda canvas: draw_room(shown, given, canvas, NOW + later), ascii_only=ascii_only
    )


def rooms(listed: RoomList, columns: int, rows: int, *, ascii_only: bool = False) -> Picture:
    size = Size(columns, rows)
    return painted(size, lambda canvas: draw_rooms(listed, canvas, NOW), ascii_only=ascii_only)


def replay(
    shown: list[ScreenState], at: int, columns: int, rows: int, *, ascii_only: bool = False
) -> Picture:
    size = Size(columns, rows)
    return painted(size, lambda canvas: draw_replay(shown, at, canvas), ascii_only=ascii_only)


def away(seat: str | None = "X") -> ScreenState:
    gone = Presence(seats=BySeat[bool](X=True, O=False), spectators=2)
    return screen_of(build_room(moves=(4,)), seat).hear(gone, NOW + 1)


def offered() -> ScreenState:
    room = build_room(moves=(4, 0), offers={"draw": "O"})
    event = {"type": "offered", "kind": "draw", "seat": "O"}
    return screen_of(build_room(moves=(4, 0))).hear(build_update(room, event), NOW)


def chatted() -> ScreenState:
    shown = screen_of(build_room(moves=(4, 0), spectators=3))
    for name, role, text in [
        ("bob", "player", "good luck, and take your time with this one"),
        ("日本太郎", "spectator", "がんばれ 👍🏽"),
        ("eve", "spectator", "\x1b[2J\x1b[31mred\u202e?"),
    ]:
        said = {"type": "said", "name": name, "role": role, "text": text}
        shown = shown.hear(Said.model_validate_json(json.dumps(said)), NOW)
    return shown


def hosting() -> ScreenState:
    welcomed = build_welcome(build_room(moves=(4, 0), chat="players"))
    you = replace(welcomed.you, host=True)
    said = {"type": "said", "name": "eve", "role": "spectator", "text": "hm", "from": "e", "at": 1}
    shown = EMPTY.hear(welcomed.model_copy(update={"you": you}), NOW).measure(0.0034, NOW)
    return shown.hear(Said.model_validate_json(json.dumps(said)), NOW)


def hinted(rules: dict[str, int] | None = None) -> ScreenState:
    settings = {"hints": True, "rules": rules or {}}
    room = build_room(moves=(4, 0), rules=rules or {}, settings=settings)
    hint = Hint(best=(2,), values={"1": 0, "2": 1, "3": -1, "5": None}, reason="depth 7")
    return screen_of(room).hear(hint, NOW)


def refused() -> ScreenState:
    told = {"type": "refused", "command": "play", "code": "cell_taken"}
    message = Refused.model_validate_json(json.dumps({**told, "reason": "that cell is taken"}))
    return screen_of(build_room(moves=(4, 0))).hear(message, NOW)


def thinking() -> ScreenState:
    before = screen_of(build_room("rules", "minimax", moves=(4, 0), games=5), None)
    events = [
        {"type": "played", "game": 1, "ply": 2, "seat": "X", "cell": 8, "reason": "corner"},
        {"type": "played", "game": 1, "ply": 3, "seat": "O", "cell": 2, "reason": "depth 5, draw"},
    ]
    after = build_room("rules", "minimax", moves=(4, 0, 8, 2), games=5)
    return before.hear(build_update(after, *events), NOW)


def room_list(count: int = 3) -> RoomList:
    rules = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    rooms = [
        {
            "name": f"room{number}",
            "status": ("waiting", "playing", "finished")[number % 3],
            "rules": {} if number % 2 else rules,
            "seats": {"X": "ada", "O": None if number % 3 == 0 else "日本太郎"},
            "ply": number,
            "spectators": 2 * number,
            "locked": number == 2,
        }
        for number in range(count)
    ]
    told = Rooms.model_validate_json(json.dumps({"type": "rooms", "rooms": rooms}))
    shown = RoomList("127.0.0.1:8765").hear(told.rooms)
    return replace(shown, connection=Live(0.002))


def recording() -> list[ScreenState]:
    cells, marks = (4, 0, 2, 6, 1, 3), "XOXOXO"
    events: list[dict[str, Any]] = [{"type": "started", "game": 1}]
    for ply, cell in enumerate(cells):
        why = {"reason": f"why {ply}"} if ply % 2 else {}
        played = {"type": "played", "game": 1, "ply": ply, "seat": marks[ply], "cell": cell}
        events.append(played | why)
    won = {"winner": "O", "reason": "line", "line": [0, 3, 6]}
    events.append({"type": "ended", "game": 1, "outcome": won})
    seats = {
        "X": {"kind": "human", "id": "ida", "name": "ada"},
        "O": {"kind": "ai", "name": "minimax", "strategy": "minimax", "level": 9},
    }
    record = {
        "room": "den",
        "game": 1,
        "rules": {},
        "seats": seats,
        "events": [{"seq": seq, "at": 0, **event} for seq, event in enumerate(events, 1)],
    }
    return screens(
        recording_of(GameRecord.model_validate_json(json.dumps(record))), "127.0.0.1:8765"
    )


def pending(rules: dict[str, Any] | None = None) -> ScreenState:
    shown = screen_of(build_room(rules=rules or {}, moves=(4, 0)))
    return shown.send([Play(game=1, ply=2, cell=2)], NOW)


def pattern() -> tuple[int, ...]:
    """Seventy stones on 15 columns, without a line of five."""
    return tuple(2 * ply + (ply * 2 // 15) % 2 for ply in range(70))


def event_screen(
    columns: int = 80,
    rows: int = 24,
    *,
    players: int = 5,
    role: str = "player",
    ascii_only: bool = False,
    later: float = 0.0,
    change: Callable[[EventScreen], EventScreen] = lambda screen: screen,
    **fields: Any,
) -> Picture:
    """Draw an event in which bob reads it, and the others are called after their places."""
    names = ["ada", "bob", *(f"player {number}" for number in range(3, players + 1))][:players]
    standings = tuple(
        standing(name, rank=rank, points=max(0.0, 3.5 - rank), present=name != "ada")
        for rank, name in enumerate(names, start=1)
    )
    usual: dict[str, Any] = {"standings": standings, "players": players}
    told = event(**usual | fields)
    you = TournamentYou.model_validate(
        {"role": role, "id": "bob" if role == "player" else None, "name": "bob"}
    )
    welcome = TournamentWelcome(protocol="ttt.v1", server="ttt", you=you, event=told)
    screen = EventScreen("friday", "127.0.0.1:8765", "http://127.0.0.1:8765/events/friday")
    screen = change(screen.hear(welcome, NOW).measure(0.0034, NOW))
    size = Size(columns, rows)
    screen = replace(screen, seen=rows_seen(screen, size, NOW + later))
    return painted(
        size, lambda canvas: draw_event(screen, canvas, NOW + later), ascii_only=ascii_only
    )


def with_wall(screen: EventScreen) -> EventScreen:
    return screen.hear(Boards(boards=tuple(map(board, range(1, 5)))), NOW)


def at_event(occasion: Occasion, **fields: Any) -> ScreenState:
    """Return the board of a game that belongs to an event."""
    return replace(screen_of(build_room(moves=(4, 0), **fields)), occasion=occasion)


FRIDAY = Occasion("Friday", "round 2 of 5")
ANNOUNCED = ("Welcome, all of you!", "The pizza comes at eight, and there is enough for everyone")


PICTURES: dict[str, Callable[[], Picture]] = {
    "ultimate": lambda: draw(screen_of(variants.ultimate())),
    "ultimate-small": lambda: draw(screen_of(variants.ultimate()), 60, 20),
    "ultimate-smallest": lambda: draw(screen_of(variants.ultimate()), 20, 8),
    "ultimate-narrow": lambda: draw(screen_of(variants.ultimate()), 24, 18),
    "ultimate-small-ascii": lambda: draw(screen_of(variants.ultimate()), 60, 20, ascii_only=True),
    "ultimate-won": lambda: draw(screen_of(variants.ultimate_won())),
    "ultimate-won-ascii": lambda: draw(screen_of(variants.ultimate_won()), ascii_only=True),
    "cube": lambda: draw(screen_of(build_room(rules=variants.CUBE))),
    "cube-won": lambda: draw(screen_of(variants.cube_won()), 60, 20),
    "cube-large": lambda: draw(screen_of(build_room(rules=variants.LARGE_CUBE)), 60, 20),
    "cube-large-narrow": lambda: draw(screen_of(build_room(rules=variants.LARGE_CUBE)), 38, 20),
    "torus": lambda: draw(screen_of(build_room(rules=variants.TORUS, moves=(3, 0)))),
    "torus-won": lambda: draw(screen_of(variants.torus_won()), 60, 20),
    "vanishing": lambda: draw(screen_of(variants.vanishing())),
    "vanishing-ascii": lambda: draw(screen_of(variants.vanishing()), 60, 20, ascii_only=True),
    "vanishing-smallest": lambda: draw(screen_of(variants.vanishing()), 20, 8),
    "misere": lambda: draw(screen_of(build_room(rules=variants.MISERE, moves=(4, 0)))),
    "misere-lost": lambda: draw(screen_of(variants.misere_lost())),
    "notakto": lambda: draw(screen_of(variants.notakto()), 60, 20),
    "connect6": lambda: draw(screen_of(variants.connect6(), "O")),
    "unknown-variant": lambda: draw(screen_of(variants.unknown()), 60, 20),
    "connecting": lambda: draw(EMPTY),
    "waiting": lambda: draw(screen_of(build_room(o=None))),
    "your-turn": lambda: draw(screen_of(build_room(moves=(4, 0)))),
    "your-turn-ascii": lambda: draw(screen_of(build_room(moves=(4, 0))), ascii_only=True),
    "their-turn": lambda: draw(screen_of(build_room(moves=(4, 0)), "O")),
    "smallest": lambda: draw(screen_of(build_room(moves=(4, 0), clock=CLOCK)), 20, 8),
    "smallest-name": lambda: draw(screen_of(build_room(name="a-long-name-of-a-room")), 20, 8),
    "narrow": lambda: draw(screen_of(build_room(moves=(4, 0))), 40, 24),
    "large": lambda: draw(screen_of(build_room(moves=(4, 0))), 140, 50),
    "too-small": lambda: draw(screen_of(build_room(moves=(4, 0))), 16, 5),
    "opening-first": lambda: draw(screen_of(build_room(opening="pie", to_place=1))),
    "opening-placing": lambda: draw(
        screen_of(build_room(**PLACING, moves=(112,), turn="X", to_place=2)), 40, 15
    ),
    "opening-two-more": lambda: draw(
        screen_of(build_room(**PLACING, moves=(112, 113, 128), turn="O", to_place=2), "O"), 60, 15
    ),
    "opening-choosing": lambda: draw(screen_of(build_room(**CHOOSING), "O")),
    "opening-choosing-narrow": lambda: draw(screen_of(build_room(**CHOOSING), "O"), 40, 15),
    "opening-they-choose": lambda: draw(screen_of(build_room(**CHOOSING)), 60, 15),
    "won": lambda: draw(screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE, score={"X": 1}))),
    "won-smallest": lambda: draw(
        screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE), "O"), 20, 8
    ),
    "won-ascii": lambda: draw(
        screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE)), 50, 20, ascii_only=True
    ),
    "clocks": lambda: draw(screen_of(build_room(moves=(4,), clock=CLOCK)), later=8.25),
    "gravity": lambda: draw(
        screen_of(build_room(rules=FOUR, moves=(38, 31))), inputs=InputState(cursor=2)
    ),
    "gravity-full-column": lambda: draw(
        screen_of(build_room(rules=FOUR, moves=(38, 31, 24, 17, 10, 3))), 44, 16
    ),
    "gomoku": lambda: draw(screen_of(build_room(rules=GOMOKU, moves=(180, 200)))),
    "pending": lambda: draw(pending(), later=1.0),
    "pending-slow": lambda: draw(pending(), later=4.0),
    "pending-large-board": lambda: draw(pending(GOMOKU), later=1.0),
    "silent": lambda: draw(screen_of(build_room(moves=(4, 0))), later=9.0, silent=True),
    "many-stones": lambda: draw(
        screen_of(build_room(rules={"columns": 15, "rows": 15, "in_a_row": 5}, moves=pattern()))
    ),
    "follows-the-last-move": lambda: draw(
        screen_of(build_room(rules=GOMOKU, moves=(180, 359))),
        30,
        12,
        inputs=InputState(follow=True),
    ),
    "typing-a-name": lambda: draw(
        screen_of(build_room(rules=GOMOKU, moves=(180, 359))), inputs=InputState(typed="d")
    ),
    "typing-a-column": lambda: draw(
        screen_of(build_room(rules=FOUR, moves=(38, 31))), inputs=InputState(typed="d")
    ),
    "offering-a-draw": lambda: draw(
        screen_of(build_room(moves=(4,))), 50, 16, inputs=InputState(asking="draw")
    ),
    "hint-large-board": lambda: draw(hinted(GOMOKU)),
    "help-ascii": lambda: draw(
        screen_of(build_room()), 30, 10, inputs=InputState(help=99), ascii_only=True
    ),
    "gomoku-scrolled": lambda: draw(
        screen_of(build_room(rules=GOMOKU, moves=(180, 200))), 30, 12, inputs=InputState(cursor=360)
    ),
    "gomoku-smallest": lambda: draw(
        screen_of(build_room(rules=GOMOKU, moves=(180, 200))), 20, 8, inputs=InputState(cursor=0)
    ),
    "gomoku-large": lambda: draw(screen_of(build_room(rules=GOMOKU, moves=(180, 200))), 150, 60),
    "away": lambda: draw(away(), later=13.0),
    "away-too-long": lambda: draw(away(), later=75.0),
    "away-narrow": lambda: draw(away(), 40, 20, later=75.0),
    "offered": lambda: draw(offered()),
    "offered-smallest": lambda: draw(offered(), 20, 8),
    "resigning": lambda: draw(
        screen_of(build_room(moves=(4,))), 50, 16, inputs=InputState(asking="resign")
    ),
    "leaving": lambda: draw(screen_of(build_room(moves=(4,))), inputs=InputState(asking="quit")),
    "talk": lambda: draw(chatted(), inputs=InputState(text_field=TextField("thank you"))),
    "talk-ascii": lambda: draw(chatted(), ascii_only=True),
    "talk-narrow-newest": lambda: draw(chatted(), 40, 20),
    "talk-narrow": lambda: draw(
        chatted(), 40, 20, inputs=InputState(text_field=TextField("x" * 60, kind="line"))
    ),
    "hint": lambda: draw(hinted()),
    "hint-small": lambda: draw(hinted(), 30, 10),
    "refused": lambda: draw(refused()),
    "refused-narrow": lambda: draw(refused(), 40, 20, inputs=InputState(typed="b")),
    "watching": lambda: draw(thinking()),
    "watching-narrow": lambda: draw(thinking(), 44, 22),
    "watching-away": lambda: draw(away(None), 40, 20, later=75.0),
    "television": lambda: draw(replace(thinking(), television=True, notice="watching den")),
    "lost": lambda: draw(
        screen_of(build_room(moves=(4,))).lose("the connection was lost", 102.5, NOW)
    ),
    "help": lambda: draw(screen_of(build_room()), inputs=InputState(help=0)),
    "help-smallest": lambda: draw(screen_of(build_room()), 20, 8, inputs=InputState(help=0)),
    "rooms": lambda: rooms(room_list(), 80, 12),
    "rooms-page": lambda: rooms(
        replace(room_list(30), total=5000, after=RoomName("room170"), skipped=200),
        100,
        8,
    ),
    "rooms-smallest": lambda: rooms(room_list(), 20, 8, ascii_only=True),
    "rooms-scrolled": lambda: rooms(
        replace(room_list(30), chosen=RoomName("room20"), notice="refused: no"),
        60,
        10,
    ),
    "rooms-too-small": lambda: rooms(room_list(), 19, 8),
    "rooms-none": lambda: rooms(room_list(0), 60, 10),
    "rooms-lost": lambda: rooms(
        replace(RoomList("127.0.0.1:8765"), connection=Lost("", NOW + 3)),
        60,
        10,
    ),
    "rooms-help": lambda: rooms(replace(room_list(), help=True), 60, 12),
    "rooms-filtered": lambda: rooms(
        replace(room_list(30), filtering=True, filter="room2"),
        60,
        10,
    ),
    "rooms-no-match": lambda: rooms(replace(room_list(), filter="zz"), 60, 10),
    "rooms-lost-again": lambda: rooms(
        replace(room_list(), connection=Lost("gone", NOW + 3)),
        60,
        10,
    ),
    "rooms-connecting": lambda: rooms(RoomList("127.0.0.1:8765"), 60, 10),
    "rooms-new-smallest": lambda: rooms(
        replace(room_list(), new=NewRoom("my-room", fault="a clock is MINUTES+SECONDS: 5+3")),
        20,
        8,
        ascii_only=True,
    ),
    "rooms-filter-kept": lambda: rooms(
        replace(room_list(30), filter="room2"),
        60,
        10,
    ),
    "rooms-new": lambda: rooms(
        replace(room_list(), new=NewRoom("my-room", board="7x6x4g", field="opponent")),
        60,
        12,
    ),
    "hosting": lambda: draw(hosting()),
    "hosting-asks": lambda: draw(hosting(), inputs=InputState(asking="host")),
    "hosting-asks-narrow": lambda: draw(hosting(), 44, 14, inputs=InputState(asking="host")),
    "chat-hidden": lambda: draw(replace(chatted(), hides_chat=True)),
    "searching": lambda: draw(SEARCHING.measure(0.0034, NOW), 44, 14, later=7.0),
    "searching-offered": lambda: draw(
        SEARCHING.hear(AiOffered(strategy="search", level=0), NOW), 60, 10, later=12.0
    ),
    "locked": lambda: draw(EMPTY, 60, 10, inputs=InputState(text_field=PASSWORD)),
    "replay-begin": lambda: replay(recording(), 0, 80, 24),
    "replay-middle": lambda: replay(recording(), 4, 50, 20, ascii_only=True),
    "replay-end": lambda: replay(recording(), 6, 80, 24),
    "replay-too-small": lambda: replay(recording(), 6, 10, 3),
    "event": lambda: event_screen(games=(game(), game(X="eve", O="player 3", result=Result.X))),
    "event-created": lambda: event_screen(44, 15, status="created", announcements=ANNOUNCED),
    "event-created-closed": lambda: event_screen(60, 12, status="created", doors_open=False),
    "event-many-ascii": lambda: event_screen(
        60, 14, players=40, ascii_only=True, games=tuple(game() for _ in range(9))
    ),
    "event-games": lambda: event_screen(60, 18, games=tuple(game() for _ in range(9))),
    "event-scrolled": lambda: event_screen(
        40, 15, players=40, change=lambda screen: screen.press("end")[0]
    ),
    "event-wide": lambda: event_screen(
        130,
        20,
        role="watcher",
        announcements=ANNOUNCED,
        games=(game(), game(again=True)),
        settings=CLOCKED,
    ),
    "event-wall": lambda: event_screen(60, 20, role="watcher", change=with_wall),
    "event-wall-wide": lambda: event_screen(
        130, 24, role="watcher", change=with_wall, games=(game(),)
    ),
    "event-arena": lambda: event_screen(
        form=Form.ARENA, ends_at=66_000, later=4.0, announcements=ANNOUNCED
    ),
    "event-paused": lambda: event_screen(60, 12, status="paused"),
    "event-withdrawn": lambda: event_screen(
        60, 12, standings=(standing("bob", status="withdrawn"), standing("ada"))
    ),
    "event-withdrawing": lambda: event_screen(
        60, 12, change=lambda screen: replace(screen, boards=1, asking="withdraw")
    ),
    "event-leaving": lambda: event_screen(
        60, 12, change=lambda screen: replace(screen, boards=1, asking="quit")
    ),
    "event-over": lambda: event_screen(60, 12, status="finished"),
    "event-beyond": lambda: event_screen(60, 12, standings=(standing("ada"),), players=80),
    "event-nobody": lambda: event_screen(60, 12, role="watcher", standings=(), players=0),
    "event-lost": lambda: event_screen(
        60, 12, change=lambda screen: screen.lose("the connection was lost", NOW + 2.5, NOW)
    ),
    "event-help": lambda: event_screen(60, 12, change=lambda screen: screen.press("?")[0]),
    "event-smallest": lambda: event_screen(20, 8, announcements=ANNOUNCED, ascii_only=True),
    "event-too-small": lambda: event_screen(19, 8),
    "event-connecting": lambda: painted(
        Size(60, 10),
        lambda canvas: draw_event(EventScreen("friday", "127.0.0.1:8765", ""), canvas, NOW),
        ascii_only=False,
    ),
    "event-game": lambda: draw(at_event(FRIDAY), inputs=InputState(asking="quit")),
    "event-game-paused": lambda: draw(
        at_event(replace(FRIDAY, words="paused", paused_at=NOW + 2), clock=CLOCK), 60, 15, later=9.0
    ),
    "event-game-arena": lambda: draw(
        at_event(replace(FRIDAY, words="", ends_at=NOW + 65)), 60, 15, later=3.5
    ),
    "event-game-board": lambda: draw(
        at_event(replace(FRIDAY, words="", number=2, boards=3, waiting=1))
    ),
    "event-game-board-over": lambda: draw(
        replace(
            screen_of(build_room(moves=(0, 3, 1, 4, 2), outcome=LINE)),
            occasion=replace(FRIDAY, words="", boards=3),
        ),
    ),
}
