"""`ttt-client event`: make, join, watch, organise and export an event."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from pydantic import ValidationError

from ttt_client.cli.arguments import WrongUsage, converted
from ttt_client.model.options import parse_ai
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending, Note, TokenStore
from ttt_client.net.tokens import SeatTokenFile
from ttt_client.terminal.stdout import Output
from ttt_client.text.event import aligned, early_words, game_line, status_line, table
from ttt_client.text.spreadsheet import csv_line
from ttt_client.tournaments import taking_part
from ttt_client.tournaments.taking_part import EventReport, EventSession, PlayGame, Wait
from ttt_protocol.codec import encode_command
from ttt_protocol.faults import first_fault
from ttt_protocol.messages import Refused
from ttt_protocol.state import AiSetting, Rules, SessionId
from ttt_protocol.tournament import commands, messages
from ttt_protocol.tournament.messages import Standing, TournamentState
from ttt_protocol.tournament.settings import Form, Result, TournamentName, TournamentSettings

_NEEDS_TEXT = ("announce", "remove", "excuse", "add-ai")

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

Choose = Callable[[TournamentState], commands.TournamentCommand]
"""Returns the command to send to an event; raises `NoSuchPlayer`."""

_ONLY_LIVE = ("id", "streak", "present")
"""Columns without a meaning outside the event."""

_SCORES = {
    Result.X: ("1", "0"),
    Result.O: ("0", "1"),
    Result.DRAW: ("=", "="),
    Result.NEITHER: ("0", "0"),
}
"""The signs in the cross table, for X and for O."""


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
            return await export_event(event.server, event.name, form, output)
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
            made = await create_event(self._url, first, tokens)
            if isinstance(made, Ending):
                return made
            page = self.server.event_page(self.name)
            self._output.say(f"for players:   {page}", f"the wall:      {page}/wall")
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
        done = await organise(self._url, commands.Organise(token=token), self._command)
        if isinstance(done, Ending):
            return done
        return Ending(0, f"{self.server.event_page(self.name)}#organise={done}")

    def _command(self, event: TournamentState | None) -> commands.OrganiserCommand:
        text = self._arguments.text

        def player() -> SessionId:
            return SessionId(text) if event is None else player_named(event, text)

        match self._arguments.action:
            case "announce":
                try:
                    return commands.Announce(text=text)
                except ValidationError as error:
                    raise WrongUsage(f"TEXT: {first_fault(error).what}") from None
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


class NoSuchPlayer(ValueError):
    """No player has this name; the message is for the user."""


def player_named(event: TournamentState, name: str) -> SessionId:
    """Return the player with this name or id.

    Raises:
        NoSuchPlayer: if there is none.
    """
    for row in event.standings:
        if name == row.id or name.casefold() == row.name.casefold():
            return row.id
    raise NoSuchPlayer(f"no player of the event is called {name}")


class _Done(Exception):
    def __init__(self, end: Ending | str) -> None:
        super().__init__(end)
        self.end = end


async def create_event(url: str, first: commands.FirstCommand, tokens: TokenStore) -> Ending | str:
    """Create an event; return the organiser's token, or why it failed."""

    async def report(heard: messages.TournamentMessage | Note, _: str) -> None:
        if isinstance(heard, messages.TournamentWelcome):
            raise _Done(heard.you.token or Ending(0))

    return await _until_done(EventSession(url, first, tokens), report)


def has_happened(
    command: commands.TournamentCommand, before: TournamentState, after: TournamentState
) -> bool:
    """Return whether a change is that of the command, and not of what others do meanwhile.

    A connection that ends sooner may take an unanswered command with it. An invitation has an
    answer of its own.
    """
    match command:
        case commands.Invite():
            return False
        case commands.Doors(open=is_open):
            return after.doors_open == is_open
        case commands.Start():
            return before.status == "created" != after.status
        case commands.AddAi():
            return _ais(after) > _ais(before)
        case _:
            return after.seq > before.seq


def _ais(event: TournamentState) -> int:
    return sum(row.kind == "ai" for row in event.standings)


async def organise(url: str, first: commands.FirstCommand, choose: Choose) -> Ending | str:
    """Send one command of an organiser; return how it ended, or the token of an `invite`.

    Args:
        url: of the event.
        first: with the organiser's token.
        choose: returns the command, given the event; raises `NoSuchPlayer`.
    """
    session = EventSession(url, first)
    asked: tuple[commands.TournamentCommand, TournamentState] | None = None

    async def report(heard: messages.TournamentMessage | Note, _: str) -> None:
        nonlocal asked
        match heard:
            case messages.TournamentWelcome(event=event) if asked is None:
                try:
                    asked = choose(event), event
                except NoSuchPlayer as error:
                    raise _Done(Ending(4, str(error))) from None
                await session.send(encode_command(asked[0]))
            case Refused(reason=reason, code=code) if asked is not None:
                raise _Done(Ending(4, f"refused: {reason} ({code})"))
            case messages.Invitation(token=token):
                raise _Done(token)
            case messages.TournamentUpdate(event=event) if asked and has_happened(*asked, event):
                raise _Done(Ending(0))
            case _:
                pass

    return await _until_done(session, report)


async def _until_done(session: EventSession, report: EventReport) -> Ending | str:
    try:
        return await session.run(report)
    except _Done as done:
        return done.end


async def export_event(server: ServerAddress, name: str, kind: str, output: Output) -> Ending:
    """Print the results of an event as `text`, `csv`, `cross` or `jsonl`."""
    read = partial(TournamentState.model_validate_json, extra="ignore")
    event = await read_page(server.api(f"events/{name}"), read)
    if isinstance(event, Ending):
        return event
    output.say(*_LINES[kind](event))
    return Ending(0)


def _text(event: TournamentState) -> Iterator[str]:
    yield status_line(event)
    yield from table(event)
    yield from map(game_line, event.games)


def _csv(event: TournamentState) -> Iterator[str]:
    """Yield the standings, for spreadsheets and scripts."""
    columns = [name for name in Standing.model_fields if name not in _ONLY_LIVE]
    yield csv_line((*columns, "ended_early"))
    for row in event.standings:
        yield csv_line((*(getattr(row, name) for name in columns), event.ended_early))


def _cross(event: TournamentState) -> Iterator[str]:
    """Yield the cross table: each row has the results against the players of the columns."""
    order = [row.id for row in event.standings]
    cells: dict[tuple[str, str], str] = {}
    for game in event.games:
        scores = _SCORES.get(game.result) if game.result is not None else None
        if scores is not None:
            x, o = game.ids
            cells[x, o] = cells.get((x, o), "") + scores[0]
            cells[o, x] = cells.get((o, x), "") + scores[1]
    rows = [["", "player", *map(str, range(1, len(order) + 1)), "points"]]
    for at, row in enumerate(event.standings, start=1):
        results = ("*" if row.id == other else cells.get((row.id, other), ".") for other in order)
        name = f"{row.name} (results left out)" if row.left_out else row.name
        rows.append([str(at), name, *results, f"{row.points:g}"])
    yield from aligned(rows)
    if early := early_words(event):
        yield f"ended early: {early}"


def _json_lines(event: TournamentState) -> Iterator[str]:
    """Yield the event without its games, then each game."""
    yield event.model_copy(update={"games": ()}).model_dump_json()
    yield from (game.model_dump_json() for game in event.games)


_LINES: dict[str, Callable[[TournamentState], Iterator[str]]] = {
    "text": _text,
    "csv": _csv,
    "cross": _cross,
    "jsonl": _json_lines,
}
