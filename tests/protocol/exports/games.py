"""Exported games, for Hypothesis: any that the form allows, whether or not the rules do."""

from typing import Any

from hypothesis import strategies as st

from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.events import Chosen, Declined, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.notation import board_of
from ttt_protocol.records import ExportedGame, GameEvent
from ttt_protocol.state import (
    Ai,
    AiSetting,
    BySeat,
    ClockSetting,
    Human,
    Mark,
    MoveLog,
    OfferKind,
    Outcome,
    Player,
    RoomName,
    Rules,
    SeatSetting,
    SeatSettings,
    SessionId,
    Settings,
    TimeLeft,
)

SIZES = st.integers(3, 19)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
NUMBERS = st.integers(1, 10**6)
MARKS = st.sampled_from(Mark)
CLOCKS = st.none() | st.builds(TimeLeft, X=st.integers(-1000, 10**9), O=st.integers(-1000, 10**9))
LOGS = st.none() | st.builds(
    MoveLog,
    reason=st.none() | st.just("the centre\nor so"),
    values=st.none() | st.dictionaries(TEXTS, st.floats(-1, 1), max_size=3),
    time_ms=st.none() | st.floats(0, 1000),
)
PLAYERS: st.SearchStrategy[Player | None] = st.one_of(
    st.none(),
    st.builds(Human, id=TEXTS.map(SessionId), name=TEXTS, bot=st.booleans()),
    st.builds(Ai, name=TEXTS, strategy=TEXTS, level=st.none() | st.integers(0, 9)),
)


@st.composite
def boards(draw: st.DrawFn) -> Rules:
    if draw(st.integers(0, 4)) == 0:
        return board_of(draw(st.sampled_from(("cube:3", "cube:4", "ultimate", "misere:7x6x4g"))))
    columns, rows = draw(SIZES), draw(SIZES)
    in_a_row = draw(st.integers(3, max(columns, rows)))
    gravity, exact = draw(st.booleans()), draw(st.booleans())
    return Rules(columns=columns, rows=rows, in_a_row=in_a_row, gravity=gravity, exact=exact)


@st.composite
def room_settings(draw: st.DrawFn, rules: Rules) -> Settings:
    seats: st.SearchStrategy[SeatSetting] = st.one_of(
        st.just("human"),
        st.builds(AiSetting, strategy=TEXTS, level=st.none() | st.just(3)),
    )
    return Settings(
        rules=rules,
        seats=SeatSettings(X=draw(seats), O=draw(seats)),
        clock=draw(st.none() | st.builds(ClockSetting, initial_s=st.floats(0.5, 900))),
        grace_s=draw(st.sampled_from([60, 0.25])),
        public=draw(st.booleans()),
        games=draw(st.integers(1, 1000)),
        opening=draw(st.sampled_from(Opening)),
    )


@st.composite
def games(draw: st.DrawFn) -> ExportedGame:
    rules, number = draw(boards()), draw(NUMBERS)
    began = draw(st.integers(0, 253_402_300_799_999))
    cells = st.integers(0, rules.columns * rules.rows - 1)
    events: list[GameEvent] = [Started(seq=1, at=began, game=number)]

    def when() -> dict[str, Any]:
        return {"seq": len(events) + 1, "at": began + draw(st.integers(-(10**6), 10**9))}

    kinds = [Played, Played, Chosen, Offered, Declined, TakenBack]
    for kind in draw(st.lists(st.sampled_from(kinds))):
        if kind is Played:
            played: dict[str, Any] = {
                "ply": draw(st.integers(0, 400)),
                "seat": draw(MARKS),
                "cell": draw(cells),
            }
            words: dict[str, Any] = {
                "reason": draw(st.none() | TEXTS),
                "clock": draw(CLOCKS),
                "log": draw(LOGS),
            }
            events.append(Played(game=number, **when(), **played, **words))
        elif kind is Chosen:
            chosen: dict[str, Any] = {
                "ply": draw(st.integers(0, 400)),
                "seat": draw(MARKS),
                "choice": draw(st.sampled_from(Choice)),
            }
            events.append(Chosen(game=number, **when(), **chosen, clock=draw(CLOCKS)))
        elif kind is TakenBack:
            back: dict[str, Any] = {"ply": draw(st.integers(0, 400)), "clock": draw(CLOCKS)}
            events.append(TakenBack(game=number, **when(), **back))
        else:
            events.append(kind(**when(), kind=draw(st.sampled_from(OfferKind)), seat=draw(MARKS)))
    if draw(st.booleans()):
        winner = draw(st.none() | MARKS)
        line = None if winner is None else tuple(draw(st.lists(cells, max_size=5))) or None
        outcome = Outcome(winner=winner, reason=draw(st.sampled_from(Reason)), line=line)
        detail, clock = draw(st.none() | TEXTS), draw(CLOCKS)
        events.append(Ended(**when(), game=number, outcome=outcome, detail=detail, clock=clock))
    return ExportedGame(
        room=RoomName(draw(st.from_regex(r"[a-z0-9][a-z0-9-]{0,31}", fullmatch=True))),
        game=number,
        rules=rules,
        seats=BySeat[Player | None](X=draw(PLAYERS), O=draw(PLAYERS)),
        events=tuple(events),
        settings=draw(room_settings(rules)),
        locked=draw(st.booleans()),
    )
