"""An AI takes a seat during a game: whether its strategy can is found out first."""

from ttt_protocol.commands import Fill
from ttt_protocol.state import AiSetting
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.room import engine_rules
from ttt_server.rooms.change import Changes, Done
from ttt_server.rooms.live_room import Member
from ttt_server.telemetry.logging import about_room


class SeatFiller:
    """Carries out `fill`."""

    def __init__(self, runner: StrategyRunner, changes: Changes, tasks: TaskOwner) -> None:
        self._runner = runner
        self._changes = changes
        self._tasks = tasks

    def fill(self, member: Member, fill: Fill, done: Done) -> None:
        """Seat an AI. `done` is called once. A plug-in is asked in its own process."""
        room = member.live.room
        if room.seat_of(member.session) is None:
            self._changes.command(member, fill, done)  # and be refused
            return
        settled: list[Fill] = []

        async def settle() -> None:
            about_room(room.name)
            board = engine_rules(room.settings)
            wish = AiSetting(strategy=fill.strategy, level=fill.level)
            wish = self._runner.settle_ai(await self._runner.plugins.probe(wish, board), board)
            settled.append(fill.model_copy(update={"level": wish.level}))

        def submit(error: BaseException | None) -> None:
            if error is None:
                self._changes.command(member, settled[0], done)
            elif isinstance(error, Refused):
                self._changes.refuse(member, fill, error, done)
            else:
                done(error)

        self._tasks.start(settle(), submit)
