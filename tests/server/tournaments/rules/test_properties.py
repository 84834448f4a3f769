"""Any order of what people do leaves a tournament whole."""

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.server.tournaments.rules.tournaments import Evening
from ttt_protocol.state import AiSetting, Mark, SessionId
from ttt_protocol.tournament.commands import (
    AddAi,
    Doors,
    Excuse,
    Forfeit,
    OrganiserCommand,
    Pair,
    Pause,
    Recreate,
    Remove,
    RenamePlayer,
    Resume,
    SetResult,
)
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules.events import Byed
from ttt_server.tournaments.rules.standings import standings
from ttt_server.tournaments.rules.values import DRAW, WIN

NUMBERS = st.integers(min_value=0, max_value=30)


class Tournaments(RuleBasedStateMachine):
    """A tournament of any form; commands that are refused change nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.evening = Evening(Form.SWISS)

    @initialize(
        form=st.sampled_from(Form),
        players=st.integers(2, 9),
        games=st.integers(1, 3),
        ai=st.booleans(),
    )
    def begin(self, form: Form, players: int, games: int, ai: bool) -> None:
        players = 2 if form is Form.MATCH else players
        stand_in: dict[str, Any] = {"stand_in": {"strategy": "rules"}} if ai else {}
        names = [f"p{number}" for number in range(players)]
        self.evening = Evening(form, names, games=games, rounds=4, minutes=1, **stand_in)
        self.evening.start()

    def tell(self, command: OrganiserCommand | RenamePlayer) -> None:
        before = self.evening.it
        try:
            self.evening.tell(command)
        except Refused:
            assert self.evening.it is before

    @rule(after=st.sampled_from([0, 1, 11_000, 70_000]))
    def time_passes(self, after: int) -> None:
        before = self.evening.it
        for event in self.evening.step(after):
            if isinstance(event, Byed) and before.settings.form is Form.SWISS:
                fewest = min(len(it.byes) for it in before.active)
                assert len(before[event.player].byes) == fewest

    @precondition(lambda self: self.evening.it.open_games)
    @rule(at=NUMBERS, result=st.sampled_from(Result))
    def a_game_ends(self, at: int, result: Result) -> None:
        games = self.evening.it.open_games
        self.evening.end(games[at % len(games)], result)

    @rule(player=NUMBERS)
    def a_player_enters_or_comes_back(self, player: int) -> None:
        try:
            self.evening.enter(f"p{player}")
        except Refused:
            self.evening.present.discard(SessionId(f"p{player}"))

    @rule(player=NUMBERS)
    def a_player_leaves(self, player: int) -> None:
        self.evening.present.discard(SessionId(f"p{player}"))
        self.tell(Excuse(player=SessionId(f"p{player}")))

    @rule(player=NUMBERS, may_return=st.booleans())
    def a_player_is_removed(self, player: int, may_return: bool) -> None:
        self.tell(Remove(player=SessionId(f"p{player}"), may_return=may_return))

    @rule(game=NUMBERS, result=st.sampled_from(Result))
    def a_result_is_corrected(self, game: int, result: Result) -> None:
        self.tell(SetResult(game=game, result=result))

    @rule(game=NUMBERS, seat=st.sampled_from(Mark))
    def a_game_is_forfeited(self, game: int, seat: Mark) -> None:
        self.tell(Forfeit(game=game, seat=seat))

    @rule(game=NUMBERS)
    def a_game_is_recreated(self, game: int) -> None:
        self.tell(Recreate(game=game))

    @rule(game=NUMBERS, x=NUMBERS, o=NUMBERS)
    def a_pairing_is_corrected(self, game: int, x: int, o: int) -> None:
        self.tell(Pair(game=game, X=SessionId(f"p{x}"), O=SessionId(f"p{o}")))

    @rule()
    def an_ai_enters(self) -> None:
        if len(self.evening.it.entrants) < 12:
            self.tell(AddAi(ai=AiSetting(strategy="rules", level=None)))

    @rule(player=NUMBERS, name=st.sampled_from(["Ada", "ADA", "p1", "Ada 2"]))
    def a_player_is_renamed(self, player: int, name: str) -> None:
        self.tell(RenamePlayer(name=name, player=SessionId(f"p{player}")))

    @rule(command=st.sampled_from([Pause(), Resume(), Doors(open=True), Doors(open=False)]))
    def the_organiser_steps_in(self, command: OrganiserCommand) -> None:
        self.tell(command)

    @invariant()
    def nobody_plays_two_at_once(self) -> None:
        it = self.evening.it
        if it.settings.form is Form.SIMUL:
            return
        games = [it.game(number) for number in it.open_games]
        seated = Counter(player for game in games for player in (game.X, game.O))
        assert all(count == 1 for count in seated.values())

    @invariant()
    def no_two_meet_twice_in_a_swiss(self) -> None:
        it = self.evening.it
        if it.settings.form is not Form.SWISS:
            return
        # An organiser may count a void game after all, when its players have met meanwhile.
        counted = [
            game for game in it.games if game.result is not Result.VOID and not game.is_corrected
        ]
        met = Counter(frozenset((game.X, game.O)) for game in counted)
        assert all(count == 1 for count in met.values())

    @invariant()
    def points_add_up(self) -> None:
        it = self.evening.it
        if it.settings.form is Form.ARENA:
            return  # streaks double
        for player in it.entrants.values():
            assert player.points == player.bonus + WIN * player.wins + DRAW * player.draws
        counted = [game for game in it.games if game.counts]
        decided = sum(game.winner is not None for game in counted)
        assert sum(player.wins for player in it.entrants.values()) == decided

    @invariant()
    def names_are_told_apart(self) -> None:
        names = [player.name.casefold() for player in self.evening.it.entrants.values()]
        assert len(set(names)) == len(names)

    @invariant()
    def a_withdrawn_player_has_no_open_game(self) -> None:
        it = self.evening.it
        for number in it.open_games:
            game = it.game(number)
            assert it[game.X].is_active
            assert it[game.O].is_active

    @invariant()
    def everybody_has_a_rank(self) -> None:
        ranks = [row.rank for row in standings(self.evening.it)]
        assert ranks == sorted(ranks)


TestTournaments = Tournaments.TestCase
TestTournaments.settings = settings(max_examples=60, stateful_step_count=40)
