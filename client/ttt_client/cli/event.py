"""`ttt-client event`: make, join, watch, organise and export an event."""

from argparse import Namespace
from functools import partial
from typing import Any

from pydantic import ValidationError

from ttt_client.cli.arguments import WrongUsage, converted
from ttt_client.model.options import parse_ai
from ttt_client.net.address import ServerAddress
from ttt_client.net.event_session import EventSession
from ttt_client.net.session import Ending
from ttt_client.net.tokens import SeatTokenFile
from ttt_client.terminal.stdout import Output
from ttt_client.tournaments import export, organising, taking_part
from ttt_client.tournaments.taking_part import PlayGame, Wait
from ttt_protocol.faults import first_fault
from ttt_protocol.state import AiSetting, Rules, SessionId
from ttt_protocol.tournament import commands
from ttt_protocol.tournament.messages import TournamentState
from ttt_protocol.tournament.settings import Form, TournamentName, TournamentSettings

_NEEDS_TEXT = ("announce", "remove", "excuse", "add-ai")


async def run_event(
    arguments: Namespace, output: Output, play: PlayGame, wait: Wait | None
) -> Ending:
    """Carry out the action; `play` plays in the room of a game, `wait` waits between the games.

    Raises:
        WrongUsage: if an argument is invalid.
    """
    event = _Event(arguments, output)
    match arguments.action:
        case "create":
            return await event.create()
        case "join":
            return await take_part(arguments, output, play, wait)
        case "watch":
            return await event.watch()
        case "export":
            form = arguments.format or ("jsonl" if arguments.json else "text")
            return await export.export_event(event.server, event.name, form, output)
        case _:
            return await event.organise()


async def take_part(
    arguments: Namespace, output: Output, play: PlayGame, wait: Wait | None = None
) -> Ending:
    """Take part in an event; `play` and `wait` are as those of `run_event`."""
    server, event, name = arguments.server, arguments.event, arguments.name
    printer = taking_part.EventPrinter(output, json_lines=arguments.json)
    is_bot = arguments.command == "bot"
    with taking_part.player_session(server, event, name, is_bot=is_bot) as session:
        return await taking_part.TakingPart(session, printer, play, wait=wait).run()


class _Event:
    """An event of a server, and this machine's part in it."""

    def __init__(self, arguments: Namespace, output: Output) -> None:
        self._arguments = arguments
        self._output = output
        self.server: ServerAddress = arguments.server
        self.name: TournamentName = arguments.event
        self._url = self.server.socket(f"events/{self.name}")
        if arguments.action in _NEEDS_TEXT and arguments.text is None:
            raise WrongUsage(f"{arguments.action} needs a TEXT")

    async def create(self) -> Ending:
        title = self._arguments.title
        given = {} if title is None else {"title": title}
        first = commands.Create(settings=_settings(self._arguments), **given)
        with self._tokens as tokens:
            made = await organising.create_event(self._url, first, tokens)
            if isinstance(made, Ending):
                return made
            page = self.server.event_page(self.name)
            self._output.say(f"for players:   {page}")
            self._output.say(f"the wall:      {page}/wall")
            self._output.say(f"for organisers, and only for them: {page}#organise={made}")
            trouble = tokens.trouble
        return Ending(0 if trouble is None else 1, trouble)

    async def watch(self) -> Ending:
        session = EventSession(self._url, commands.Watch())
        printer = taking_part.EventPrinter(self._output, json_lines=self._arguments.json)
        return await taking_part.watch_event(session, printer.report)

    async def organise(self) -> Ending:
        token = self._arguments.organiser
        if token is None:
            token = self._tokens.peek()
        if token is None:
            return Ending(1, "this machine does not organise the event: give --organiser")
        self._command(None)  # invalid arguments are reported before anything is sent
        done = await organising.organise(self._url, commands.Organise(token=token), self._command)
        if isinstance(done, Ending):
            return done
        page = self.server.event_page(self.name)
        return Ending(0, f"{page}#organise={done}")

    def _command(self, event: TournamentState | None) -> commands.OrganiserCommand:
        text = self._arguments.text

        def player() -> SessionId:
            return SessionId(text) if event is None else organising.player_named(event, text)

        match self._arguments.action:
            case "announce":
                return _announcement(text)
            case "add-ai":
                rules = Rules() if event is None else event.settings.rules
                return commands.AddAi(ai=_ai(text, rules))
            case "remove":
                return commands.Remove(player=player(), may_return=False)
            case "excuse":
                return commands.Excuse(player=player())
            case simple:
                return _SIMPLE[simple]

    @property
    def _tokens(self) -> SeatTokenFile:
        return taking_part.event_tokens(self.server, self.name, taking_part.ORGANISER)


_SIMPLE: dict[str, commands.OrganiserCommand] = {
    "start": commands.Start(),
    "pause": commands.Pause(),
    "resume": commands.Resume(),
    "next": commands.Next(),
    "finish": commands.Finish(),
    "open": commands.Doors(open=True),
    "close": commands.Doors(open=False),
    "invite": commands.Invite(),
}


def _settings(arguments: Namespace) -> TournamentSettings:
    if arguments.form is None:
        raise WrongUsage("create needs --form: arena, swiss, round-robin, knockout, match or simul")
    typed: dict[str, Any] = vars(arguments)
    given = {name: typed.get(name.removesuffix("_s")) for name in TournamentSettings.model_fields}
    given["form"] = Form(arguments.form)
    if arguments.stand_in is not None:
        given["stand_in"] = _ai(arguments.stand_in, arguments.rules or Rules())
    # A flag that was not given is False, and no wish.
    kept = {name: it for name, it in given.items() if it is not None and it is not False}
    try:
        return TournamentSettings.model_validate(kept)
    except ValidationError as error:
        field, what = first_fault(error)
        option = f"--{field.removesuffix('_s').replace('_', '-')}: " if field else ""
        raise WrongUsage(f"{option}{what}") from None


def _ai(text: str, rules: Rules) -> AiSetting:
    return converted("an AI", partial(parse_ai, rules=rules), text)


def _announcement(text: str) -> commands.Announce:
    try:
        return commands.Announce(text=text)
    except ValidationError as error:
        raise WrongUsage(f"TEXT: {first_fault(error).what}") from None
