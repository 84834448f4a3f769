"""Events that the rules of tournaments cannot have given.

Those that they give are no contradiction: `Evening` asks of each.
"""

from typing import Any

import pytest

from tests.server.tournaments.rules.tournaments import FRIDAY, Evening, name_room, names
from ttt_protocol.state import AiSetting, Mark, SessionId
from ttt_protocol.tournament.commands import (
    Announce,
    Doors,
    Excuse,
    Finish,
    Invite,
    Pair,
    Pause,
    Recreate,
    Remove,
    RenamePlayer,
    Resume,
    SetResult,
)
from ttt_protocol.tournament.settings import Form, Result, TournamentSettings
from ttt_server.tournaments.rules.contradiction import contradiction
from ttt_server.tournaments.rules.events import (
    Announced,
    BaseTournamentEvent,
    Begun,
    Byed,
    Corrected,
    DoorsSet,
    Ended,
    Entered,
    Finished,
    Invited,
    Opened,
    Paired,
    Paused,
    Removed,
    Renamed,
    Resumed,
    Returned,
    RoundBegun,
    TournamentEvent,
    Withdrew,
)
from ttt_server.tournaments.rules.values import Tournament

P1, P2, P3, P4, P5 = names(5)
NEW, GONE, OUT = map(SessionId, ("new", "gone", "out"))
NOT_NOW = "does not follow from the rules"
AI = AiSetting(strategy="rules", level=None)
RULES = "is against the rules: "


def waiting() -> Evening:
    """A Swiss of five that has not begun; two more have withdrawn, and been removed."""
    evening = Evening(Form.SWISS, (P1, P2, P3, P4, P5, GONE, OUT), rounds=3)
    evening.tell(Excuse(player=GONE))
    evening.tell(Remove(player=OUT, may_return=False))
    return evening


def running() -> Evening:
    """The same in its second round: games 3 and 4 are under way, and game 3 is new."""
    evening = waiting()
    evening.start()
    evening.step()
    for number in (1, 2):
        evening.end(number, Result.DRAW)
    evening.step()
    return evening


def paused() -> Evening:
    evening = running()
    evening.tell(Pause())
    return evening


def finished() -> Evening:
    evening = running()
    evening.tell(Finish())
    return evening


def event(kind: type[TournamentEvent], evening: Evening, **fields: Any) -> TournamentEvent:
    return kind(seq=evening.it.seq + 1, at=evening.now, **fields)


def free(evening: Evening) -> SessionId:
    """The player with a bye."""
    return next(it.id for it in evening.it.active if it.id not in evening.it.busy)


def pair(x: SessionId, o: SessionId, round_: int = 2) -> dict[str, Any]:
    return {"game": 5, "round": round_, "X": x, "O": o, "room": name_room(5)}


@pytest.mark.parametrize(
    ("state", "kind", "fields", "words"),
    [
        (waiting, Entered, {"player": P1, "name": "Ada"}, NOT_NOW),
        (waiting, Entered, {"player": NEW, "name": "Ada", "bonus": 1}, NOT_NOW),
        (waiting, Entered, {"player": OUT, "name": "Ada"}, f"{RULES}the organiser removed you"),
        (waiting, Entered, {"player": NEW, "name": "rules", "ai": AI}, NOT_NOW),
        (waiting, Entered, {"player": NEW, "name": "AI", "ai": AI, "stand_in": True}, NOT_NOW),
        (finished, Entered, {"player": NEW, "name": "Ada"}, f"{RULES}the event is over"),
        (waiting, Withdrew, {"player": GONE}, NOT_NOW),
        (finished, Withdrew, {"player": P1}, f"{RULES}the event is over"),
        (waiting, Returned, {"player": P1}, NOT_NOW),
        (waiting, Returned, {"player": OUT}, f"{RULES}the organiser removed you"),
        (waiting, DoorsSet, {"open": True}, NOT_NOW),
        (finished, DoorsSet, {"open": True}, f"{RULES}the event is finished"),
        (running, Begun, {}, f"{RULES}the event is running"),
        (waiting, Begun, {"ends_at": 1}, NOT_NOW),
        (waiting, Paused, {}, f"{RULES}the event is created"),
        (running, Resumed, {}, f"{RULES}the event is running"),
        (paused, Resumed, {"ends_at": 1}, NOT_NOW),
        (finished, Finished, {}, f"{RULES}the event is finished"),
        (finished, Ended, {"game": 3, "result": Result.X, "reason": "line"}, NOT_NOW),
        (waiting, RoundBegun, {"round": 1}, f"{RULES}the event is created"),
        (running, RoundBegun, {"round": 2}, "begins round 2 after round 2"),
        (running, Byed, {"round": 1, "player": P1, "bonus": 2}, "is of round 1 in round 2"),
        (waiting, Paired, pair(P1, P2, 1), f"{RULES}the event is created"),
        (running, Paired, pair(P1, P2, 3), "is of round 3 in round 2"),
        (running, Paired, pair(P1, P1), f"{RULES}a player cannot play alone"),
        (running, Paired, pair(GONE, P1), f"{RULES}the player has withdrawn"),
        (running, Paired, pair(P1, P2), f"{RULES}the player already has a game"),
        (finished, Paired, pair(P1, P2), f"{RULES}the event is finished"),
        (running, Opened, {"title": "F", "organiser": P1}, "opens the event again"),
    ],
)
def test_what_the_rules_do_not_give(
    state: Any, kind: type[TournamentEvent], fields: dict[str, Any], words: str
) -> None:
    evening = state()
    if kind is Opened:
        fields |= {"settings": evening.it.settings}
    assert contradiction(evening.it, event(kind, evening, **fields)) == words


def test_an_event_before_the_first() -> None:
    finished = Finished(seq=1, at=1)
    assert contradiction(Tournament(FRIDAY), finished) == "comes before the event is opened"
    settings = TournamentSettings(form=Form.MATCH)
    opened = Opened(seq=1, at=1, title="Friday", settings=settings, organiser=P1)
    assert contradiction(Tournament(FRIDAY), opened) is None


def test_two_who_have_met_are_not_paired_in_a_swiss_again() -> None:
    evening = running()
    first = evening.it.game(1)
    for number in evening.it.open_games:
        evening.end(number, Result.X)
    again = event(Paired, evening, **pair(first.O, first.X))
    assert contradiction(evening.it, again) == f"{RULES}the two have already met"


def test_a_result_of_a_game_that_another_replaced() -> None:
    evening = running()
    evening.tell(Recreate(game=3))
    corrected = event(Corrected, evening, game=3, result=Result.X)
    words = f"{RULES}another game replaced this one"
    assert contradiction(evening.it, corrected) == words


@pytest.mark.parametrize("kind", [Announced, Removed, Renamed, Invited])
def test_what_no_rule_forbids(kind: type[TournamentEvent]) -> None:
    evening = finished()
    fields = {"text": "over", "player": P1, "may_return": True, "organiser": NEW, "name": "p1"}
    fields = {name: fields[name] for name in kind.model_fields if name in fields}
    assert contradiction(evening.it, event(kind, evening, **fields)) is None


def test_all_that_an_organiser_does_is_no_contradiction() -> None:
    evening = Evening(Form.SWISS, (P1, P2, P3), stand_in={"strategy": "rules"})
    for command in (
        RenamePlayer(name="Ada", player=P1),
        Doors(open=False),
        Invite(),
        Announce(text="a"),
    ):
        evening.tell(command)
    evening.start()
    evening.step()
    number = next(it for it in evening.it.open_games if evening.it.game(it).seat(P1))
    game = evening.it.game(number)
    x = game.X if game.seat(P1) is Mark.O else game.O
    evening.tell(Pair(game=number, X=P1, O=x))
    evening.tell(Pause())
    evening.tell(Resume())
    evening.tell(Remove(player=P2, may_return=True))
    evening.enter(P2)
    evening.tell(SetResult(game=1 if number != 1 else 2, result=Result.DRAW))


def test_a_simul_pairs_its_host_with_all() -> None:
    evening = Evening(Form.SIMUL, (P1, P2, P3))
    evening.start()
    assert len([it for it in evening.step() if isinstance(it, Paired)]) == 2


def test_an_event_of_no_kind() -> None:
    evening = running()
    unknown: Any = BaseTournamentEvent(seq=evening.it.seq + 1, at=1)
    with pytest.raises(AssertionError):
        contradiction(evening.it, unknown)


def test_an_arena_of_one_player_from_an_older_server_is_no_contradiction() -> None:
    evening = Evening(Form.ARENA, ["p1"])
    begun = event(Begun, evening, ends_at=evening.now + 20 * 60_000)
    assert contradiction(evening.it, begun) is None
