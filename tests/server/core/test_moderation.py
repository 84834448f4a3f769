import pytest

from tests.server.examples import ADA, BOB, EVE, NOW, O, duel
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.events import Ended, Left, Moderated
from ttt_protocol.state import ChatMode, Status
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.moderation import (
    require_host,
    require_speaker,
    set_chat,
    vacate,
)


def test_only_the_host_has_the_hosts_rights() -> None:
    require_host(duel(), ADA)
    for other in (BOB, EVE, None):
        with pytest.raises(Refused) as refused:
            require_host(duel(), other)
        assert refused.value.code is RefusalCode.NOT_ALLOWED


@pytest.mark.parametrize(
    ("mode", "players", "spectators"),
    [(ChatMode.ALL, True, True), (ChatMode.PLAYERS, True, False), (ChatMode.OFF, False, False)],
)
def test_who_may_chat(mode: ChatMode, players: bool, spectators: bool) -> None:
    room = duel(chat=mode)
    for is_player, may in ((True, players), (False, spectators)):
        if may:
            require_speaker(room, is_player=is_player)
            continue
        with pytest.raises(Refused) as refused:
            require_speaker(room, is_player=is_player)
        assert refused.value.code is RefusalCode.NOT_ALLOWED


def test_the_chat_of_a_room_begins_as_its_settings_say_and_may_change() -> None:
    room = duel(chat=ChatMode.PLAYERS)
    assert room.chat is ChatMode.PLAYERS
    events = set_chat(room, ChatMode.OFF, NOW + 1)
    assert events.events == (Moderated(seq=room.seq + 1, at=NOW + 1, chat=ChatMode.OFF),)
    changed = evolve_all(room, events)
    assert changed.chat is ChatMode.OFF
    assert changed.settings == room.settings
    assert set_chat(changed, ChatMode.OFF, NOW + 2).events == ()


def test_a_host_who_removes_the_opponent_loses_the_game() -> None:
    room = duel(0, 4)
    decision = vacate(room, O, NOW)
    ended, left = decision
    assert isinstance(ended, Ended)
    assert (ended.outcome.winner, ended.outcome.reason) == (O, Reason.ABANDONMENT)
    assert left == Left(seq=room.seq + 2, at=NOW, seat=O)
    assert decision.after.free_seats == (O,)


def test_nobody_wins_a_game_whose_player_is_removed_by_a_host_without_a_part_in_it() -> None:
    room = duel(0, 4).replace(host=EVE)
    ended, _ = decision = vacate(room, O, NOW)
    assert isinstance(ended, Ended)
    assert (ended.outcome.winner, ended.outcome.reason) == (None, Reason.ABANDONMENT)
    assert decision.after.score == room.score


def test_a_player_may_be_removed_when_no_game_runs() -> None:
    room = duel(0, 3, 1, 4, 2)
    assert room.status is Status.FINISHED
    assert vacate(room, O, NOW).events == (Left(seq=room.seq + 1, at=NOW, seat=O),)
