from typing import Any

import pytest

from tests.server.examples import ADA, NAME
from tests.server.hubs import SIGNER, join_room, refused, spectate, two_players
from ttt_engine import Rules as Board
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Fill
from ttt_protocol.state import Ai, AiSetting, GivenSettings, Mark, Rules, SeatSettings
from ttt_protocol.strengths import Strength, ai_of
from ttt_server.ai.plugins import settle, settle_ai
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub


def given(**fields: Any) -> GivenSettings:
    return GivenSettings(**fields)


def ai(strategy: str, level: int | None = None) -> AiSetting:
    return AiSetting(strategy=strategy, level=level)


def refusal(settings: GivenSettings) -> Refused:
    with pytest.raises(Refused) as caught:
        settle(settings)
    return caught.value


def test_a_strategy_with_levels_fixes_its_own() -> None:
    settled = settle(given(seats=SeatSettings(X=ai("minimax"), O=ai("minimax", 3)), hints=True))
    assert settled.seats == SeatSettings(X=ai("minimax", 9), O=ai("minimax", 3))
    assert settled.hints
    assert ai("random") == settle(given(seats=SeatSettings(X=ai("random")))).seats.X


def test_settings_without_an_ai_are_settled() -> None:
    for wish in (given(), given(hints=True), given(seats=SeatSettings(X="human"))):
        assert settle(wish) is wish


def test_an_unknown_strategy_names_those_there_are() -> None:
    refused = refusal(given(seats=SeatSettings(O=ai("deep thought"))))
    assert refused.code is RefusalCode.UNKNOWN_STRATEGY
    assert "minimax" in refused.reason
    assert "deep thought" not in refused.reason, "a reason never repeats the input"


def test_a_strategy_whose_extra_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ttt_engine.strategies.solvers._is_installed", lambda: False)
    four = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
    refused = refusal(given(rules=four, seats=SeatSettings(O=ai("exact"))))
    assert refused.code is RefusalCode.STRATEGY_CANNOT_PLAY
    words = "pip install 'ttt-rooms[solver]'; without it search:9 plays strongest"
    assert refused.reason == f"exact needs the solver: {words}"


@pytest.mark.usefixtures("misbehaving")
def test_the_code_of_a_plug_in_does_not_run_here() -> None:
    """This one would end the process."""
    wish = given(seats=SeatSettings(X=ai("unimported"), O=ai("hangs", 3)))
    assert settle(wish) is wish
    assert settle_ai(ai("unimported"), Board()) == ai("unimported")


@pytest.mark.parametrize("mark", ["X", "O"])
def test_a_strategy_that_cannot_play_this_board(mark: str) -> None:
    seats = SeatSettings(**{mark: ai("rules")})
    refused = refusal(given(rules=Rules(columns=4), seats=seats))
    assert refused.code is RefusalCode.STRATEGY_CANNOT_PLAY
    able = "brute, guard, lines, mcts, minimax, random, search"
    assert refused.reason.endswith(f"; there are: {able}")
    assert settle(given(seats=seats)).seats == seats


DEEP = ai("deep")
DEEP_PAIR = SeatSettings(X=DEEP, O=DEEP)


@pytest.mark.parametrize(
    ("join", "code"),
    [
        ({"settings": given(seats=DEEP_PAIR)}, "unknown_strategy"),  # before room_full
        ({"settings": given(seats=SeatSettings(X=DEEP)), "seat": Mark.X}, "unknown_strategy"),
        ({"settings": given(seats=SeatSettings(X=DEEP)), "token": "forged"}, "bad_token"),
    ],
)
async def test_the_first_refusal_of_a_join_that_applies(
    join: dict[str, Any], code: str, hub: Hub
) -> None:
    assert await refused(join_room(hub, **join)) == code


async def test_the_first_refusal_of_a_spectator_that_applies(hub: Hub) -> None:
    one = given(seats=SeatSettings(X=DEEP))
    assert await refused(spectate(hub, settings=one)) is RefusalCode.NO_SUCH_ROOM
    two = given(seats=DEEP_PAIR, spectators=False)
    assert await refused(spectate(hub, settings=two)) is RefusalCode.UNKNOWN_STRATEGY


async def test_a_token_for_a_room_that_is_not_there_is_refused_before_the_strategy(
    hub: Hub,
) -> None:
    token = SIGNER.token(NAME, ADA)
    join = join_room(hub, token=token, settings=given(seats=DEEP_PAIR))
    assert await refused(join) is RefusalCode.BAD_TOKEN


async def test_the_settings_of_a_room_that_is_there_are_compared_as_they_were_given(
    hub: Hub,
) -> None:
    three = given(seats=SeatSettings(O=ai("minimax", 3)))
    await join_room(hub, settings=three)
    any_level = given(seats=SeatSettings(O=ai("minimax")))
    assert await refused(join_room(hub, settings=any_level)) is RefusalCode.ROOM_FULL
    deep = given(seats=SeatSettings(O=DEEP))
    assert await refused(join_room(hub, settings=deep)) is RefusalCode.SETTINGS_CONFLICT


async def test_the_first_refusal_of_a_fill_that_applies(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    assert await refused(ada.says(Fill(seat=Mark.X, strategy="deep"))) == "not_allowed"
    assert await refused(ada.says(Fill(seat=Mark.O, strategy="deep"))) == "too_early"
    eve = await spectate(hub)
    assert await refused(eve.says(Fill(seat=Mark.O, strategy="deep"))) == "not_a_player"
    bea = await join_room(hub, room="free", settings=given(rules=Rules(columns=4)))
    assert await refused(bea.says(Fill(seat=Mark.O, strategy="deep"))) == "unknown_strategy"
    assert await refused(bea.says(Fill(seat=Mark.O, strategy="rules"))) == "strategy_cannot_play"


@pytest.mark.parametrize(("level", "settled"), [(3, 3), (None, 9)])
async def test_an_ai_that_fills_has_the_level_that_was_wished_for_or_its_own(
    level: int | None, settled: int, hub: Hub
) -> None:
    ada = await join_room(hub)
    await ada.says(Fill(seat=Mark.O, strategy="minimax", level=level))
    player = ada.member.live.room.seats.O
    assert player == Ai(name="minimax", strategy="minimax", level=settled)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(columns=4, rows=4, in_a_row=4),
        Rules(columns=7, rows=6, in_a_row=4, gravity=True),
        Rules(columns=15, rows=15, in_a_row=5),
        Rules(gravity=True),
    ],
)
def test_an_ai_of_each_strength_plays_on_its_board(rules: Rules) -> None:
    board = Board(**rules.model_dump())
    for strength in Strength:
        setting = ai_of(strength, rules)
        assert settle_ai(setting, board).strategy == setting.strategy
