"""Tournaments for tests: made, filled with players and played, without a clock or a socket."""

from collections.abc import Callable, Iterable
from random import Random

from ttt_protocol.state import RoomName, SessionId
from ttt_protocol.tournament.commands import Create, OrganiserCommand, RenamePlayer, Start
from ttt_protocol.tournament.settings import (
    Form,
    Result,
    TournamentName,
    TournamentSettings,
)
from ttt_server.tournaments.rules.advance import advance, ended, next_step
from ttt_server.tournaments.rules.contradiction import contradiction
from ttt_server.tournaments.rules.decide import command_of_organiser, create, enter
from ttt_server.tournaments.rules.events import Decision
from ttt_server.tournaments.rules.evolve import evolve
from ttt_server.tournaments.rules.forms import Field
from ttt_server.tournaments.rules.matching import find_round
from ttt_server.tournaments.rules.values import Game, Tournament

FRIDAY = TournamentName("friday")
HOST = SessionId("host")

Choose = Callable[[Game], Result]


def name_room(number: int) -> RoomName:
    return RoomName(f"friday-{number}")


def names(count: int) -> list[SessionId]:
    return [SessionId(f"p{number}") for number in range(1, count + 1)]


class Evening:
    """A tournament with its clock; whatever it is told happens at once."""

    def __init__(self, form: Form, players: Iterable[str] = (), **settings: object) -> None:
        self.now = 1_000_000
        self.it = Tournament(FRIDAY)
        self.log: Decision = ()
        self.present: set[SessionId] = set()
        wished = TournamentSettings.model_validate({"form": form, **settings})
        self.take(create(self.it, Create(settings=wished), HOST, self.now))
        for player in players:
            self.enter(player)

    def take(self, decision: Decision) -> Decision:
        for event in decision:
            assert contradiction(self.it, event) is None, event
            self.it = evolve(self.it, event)
        self.log += decision
        return decision

    def enter(self, player: str, name: str | None = None) -> None:
        session = SessionId(player)
        self.present.add(session)
        self.take(enter(self.it, session, name or player, self.now))

    def tell(self, command: OrganiserCommand | RenamePlayer) -> Decision:
        new_id = lambda: SessionId(f"host{len(self.it.organisers)}")  # noqa: E731
        return self.take(
            command_of_organiser(self.it, command, self.now, name_room, new_id, self.present)
        )

    def start(self) -> None:
        self.tell(Start())

    def step(self, after_ms: int = 0) -> Decision:
        """Let time pass, and what follows by itself happen."""
        self.now += after_ms
        step = next_step(self.it, self.present, self.now)
        found = find_round(step) if isinstance(step, Field) else step
        return self.take(advance(self.it, found, self.now, name_room))

    def end(self, number: int, result: Result, reason: str = "line") -> None:
        self.take(ended(self.it, number, result, reason, self.now))

    def play_round(self, choose: Choose) -> tuple[Game, ...]:
        """Pair, and end all games that are open."""
        self.step()
        games = tuple(self.it.game(number) for number in self.it.open_games)
        for game in games:
            self.end(game.number, choose(game))
        return games

    def play_on(self, choose: Choose, most: int = 1000) -> None:
        """Play rounds until the tournament is finished."""
        for _ in range(most):
            if self.it.status == "finished":
                return
            self.play_round(choose)
        raise AssertionError("it does not end")


def stronger(game: Game) -> Result:
    """The player with the lower number wins; an AI has the highest."""
    return Result.X if _strength(game.X) < _strength(game.O) else Result.O


def _strength(player: SessionId) -> int:
    return 1000 if player.startswith("ai") else int(player[1:])


def at_random(random: Random) -> Choose:
    return lambda _: random.choice([Result.X, Result.O, Result.DRAW])
