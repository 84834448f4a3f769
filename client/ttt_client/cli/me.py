"""`ttt-client me`, `challenge` and `notify`: the name that one keeps on a server, and its news."""

import asyncio
import json
import os
import signal
import time
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from ttt_client.model.options import settings_of
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected, growing_pauses
from ttt_client.net.http import fetch
from ttt_client.net.session import Ending
from ttt_client.net.tokens import default_file, recall_person, remember_person
from ttt_client.terminal.stdout import Output
from ttt_client.text.own import challenge_lines, game_address, own_games
from ttt_protocol.notices import Notice, NoticeList
from ttt_protocol.state import Token
from ttt_protocol.text import clean

_WRONG_USAGE = 2

_EXPORT_S = 600.0
"""Seconds that an export may take: it may be long."""

_WAYS_BACK = {"use", "recover"}
"""The actions that make another person of this user."""

_WAYS_IN = {"keep", *_WAYS_BACK}
"""The actions of those who keep no name yet."""

_CHALLENGE = ("rules", "clock", "days", "opening", "rated")
"""The arguments that are settings of a challenge's room."""

Ask = Callable[[str], Awaitable[str | None]]
"""Ask for a secret that is not shown as it is typed, or read a line; `None` if there is none."""

_POLL_S = 30.0
"""How long a request may take; a server answers sooner, if with nothing."""

_RUN_S = 60.0
"""How long a command may run."""


Run = Callable[[Notice], Awaitable[str | None]]
"""Does something at a notice; returns what went wrong."""


async def run_me(arguments: Namespace, output: Output, ask: Ask) -> Ending:
    """Carry out the action."""
    myself = OwnPerson(arguments, output, ask)
    if myself.token is None and myself.action not in _WAYS_IN:
        words = "you keep no name on this server: me keep NAME, me use CODE or me recover NAME"
        return Ending(1, words)
    try:
        # Each action is a method by its name.
        act: Callable[[], Awaitable[Ending]] = getattr(myself, myself.action.replace("-", "_"))
        return await act()
    except Rejected as error:
        return Ending(4, error.words)
    except CannotDial as error:
        return Ending(3, f"cannot reach the server: {error.words}")
    except OSError as error:
        return Ending(1, f"{default_file()}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        return Ending(1, "the answer is not understood")


class OwnPerson:
    """This user's person on a server."""

    def __init__(self, arguments: Namespace, output: Output, ask: Ask) -> None:
        self._arguments = arguments
        self._server: ServerAddress = arguments.server
        self._text: str | None = arguments.text
        self._output = output
        self._ask_user = ask
        self.action: str = arguments.action if arguments.command == "me" else arguments.command
        self.token = recall_person(self._server)

    async def show(self) -> Ending:
        """Print who one is, and the newest games, those first that wait for a move."""
        said = await self._ask("GET", "me")
        page = await self._ask("GET", "me/games")
        games, url = page["games"], self._server.web_url
        listed = [{**game, "url": game_address(game, url)} for game in games]
        lines = own_games(games, url, time.time_ns() // 1_000_000)
        you = f"you are {_name(said)} on {self._server.url}"
        end = None if page["next"] is None else f"older ones are at {url}/me"
        said |= {"games": listed, "next": page["next"]}
        return self._told(said, you, *lines, end=end)

    async def export(self) -> Ending:
        """Print all that the server keeps of this person, as JSON."""
        url = self._server.api("me/export")
        told = await fetch(url, token=self.token, timeout_s=_EXPORT_S, longest=None)
        self._output.raw(json.dumps(json.loads(told), ensure_ascii=False, indent=2))
        return Ending(0)

    async def forget(self) -> Ending:
        """Have the server forget this person, whose name was typed to say so."""
        kept = _name(await self._ask("GET", "me"))
        if self._text != kept:
            return Ending(_WRONG_USAGE, f"nothing was done; to be forgotten: me forget {kept!r}")
        await self._ask("DELETE", "me")
        remember_person(self._server, None)
        return Ending(0, "forgotten: the games stay your opponents', against somebody")

    async def challenge(self) -> Ending:
        """Challenge somebody."""
        given: dict[str, Any] = {name: getattr(self._arguments, name) for name in _CHALLENGE}
        settings = settings_of(**given | {"rated": given["rated"] or None})
        wanted = {} if settings is None else settings.model_dump(mode="json", exclude_unset=True)
        sent = await self._ask("POST", "challenges", {"to": self._text or "", "settings": wanted})
        name = clean(str(sent["to"]))
        return self._told(sent, end=f"{name} has a day to answer: see me challenges")

    async def challenges(self) -> Ending:
        """Print the challenges to and from this person."""
        said = await self._ask("GET", "me/challenges")
        name = _name(await self._ask("GET", "me"))
        now = time.time_ns() // 1_000_000
        lines = challenge_lines(said["challenges"], name, self._server.web_url, now)
        return self._told(said, *lines, *([_blocked(said)] if said["blocked"] else []))

    async def answer(self) -> Ending:
        """Accept or decline the challenge of somebody."""
        own = _name(await self._ask("GET", "me"))
        said = await self._ask("GET", "me/challenges")
        to_me = (each for each in said["challenges"] if each["to"] == own)
        name, accept = (self._text or "").casefold(), self.action == "accept"
        found = next((each for each in to_me if str(each["from"]).casefold() == name), None)
        if found is None:
            return Ending(1, "nobody of this name challenges you: see me challenges")
        answered = await self._ask("POST", f"challenges/{found['id']}", {"accept": accept})
        if not accept:
            return Ending(0, "declined")
        self._output.say(f"{self._server.web_url}/rooms/{clean(str(answered['room']))}")
        return Ending(0, f"to play here: ttt-client join {clean(str(answered['room']))}")

    accept = decline = answer

    async def block(self) -> Ending:
        """Take no more challenges from somebody, or take them again."""
        if not self._text:
            return Ending(_WRONG_USAGE, "say whose challenges: a name")
        method = "POST" if self.action == "block" else "DELETE"
        return Ending(0, _blocked(await self._ask(method, "me/blocks", {"name": self._text})))

    unblock = block

    async def keep(self) -> Ending:
        """Keep a name, and remember the token."""
        if self.token is not None:
            kept = _name(await self._ask("GET", "me"))
            return Ending(1, f"you keep the name {kept} already: me sign-out gives it up here")
        made = await self._ask("POST", "persons", {"name": self._text or self._arguments.name})
        return self._signed_in(made, "{} is yours on {}; me link adds another device")

    async def link(self) -> Ending:
        """Print a code for another device."""
        linked = await self._ask("POST", "me/link", {})
        code = str(linked["code"])
        end = f"once, within ten minutes: open it, or: ttt-client me use {code}"
        return self._told(linked, f"{self._server.web_url}/me#code={code}", end=end)

    async def use(self) -> Ending:
        """Become the person of a link, or of its code."""
        if not (code := self._text or await self._ask_user("the code of the link: ")):
            return Ending(_WRONG_USAGE, "me use needs the CODE of a link")
        code = code.rpartition("code=")[2].strip()
        found = await self._ask("POST", "persons/link", {"code": code})
        return self._signed_in(found, "this is {} on {} now, too")

    async def phrase(self) -> Ending:
        """Print a new phrase for the day when all devices are lost."""
        said = await self._ask("POST", "me/phrase", {})
        end = "write it down: it is not shown again, and an earlier one is void"
        return self._told(said, clean(str(said["phrase"])), end=end)

    async def recover(self) -> Ending:
        """Become the person whose phrase this is."""
        if not (phrase := await self._ask_user("the six words: ")):
            return Ending(_WRONG_USAGE, "me recover needs the six words of the phrase")
        asked = {"name": self._text or self._arguments.name, "phrase": phrase}
        found = await self._ask("POST", "persons/phrase", asked)
        return self._signed_in(found, "this is {} on {} again")

    async def sign_out(self) -> Ending:
        """Make all tokens void, that of this machine as well."""
        try:
            await self._ask("POST", "me/signout", {})
        except Rejected as error:
            if error.status != 401:  # void already
                raise
        remember_person(self._server, None)
        return Ending(0, "signed out everywhere: me recover NAME takes your phrase")

    async def _ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        token = None if self.action in _WAYS_BACK else self.token
        url = self._server.api(path)
        return json.loads(await fetch(url, token=token, method=method, body=body))

    def _told(self, said: dict[str, Any], *lines: str, end: str | None = None) -> Ending:
        """Print the answer as JSON, or in these lines."""
        if self._arguments.json:
            self._output.raw(json.dumps(said))
            return Ending(0)
        self._output.say(*lines)
        return Ending(0, end)

    def _signed_in(self, said: dict[str, Any], words: str) -> Ending:
        name = _name(said)
        remember_person(self._server, Token(str(said["token"])))
        return Ending(0, words.format(name, self._server.url))


def _name(said: dict[str, Any]) -> str:
    return clean(str(said["person"]["name"]))


def _blocked(said: dict[str, Any]) -> str:
    return f"blocked: {', '.join(clean(str(one)) for one in said['blocked']) or 'nobody'}"


async def run_notify(arguments: Namespace, output: Output) -> Ending:
    """Wait for notices, and ring or run a command at each."""
    token = recall_person(arguments.server)
    if token is None:
        return Ending(1, "you keep no name on this server: ttt-client me keep NAME")
    act = ring if arguments.run is None else running(arguments.run)
    return await Notify(arguments, token, output).run(act)


class Notify:
    """Waits for the notices of a person, over as many requests as it takes."""

    def __init__(self, arguments: Namespace, token: str, output: Output) -> None:
        self._server: ServerAddress = arguments.server
        self._json_lines: bool = arguments.json
        self._token = token
        self._output = output

    async def run(self, act: Run) -> Ending:
        """Print a line for each notice, and `act`; until the program is stopped."""
        pauses, after, is_lost = growing_pauses(), "", False
        while True:
            try:
                heard = await self._ask(after)
            except Rejected as error:
                if error.status == 401:
                    return Ending(4, "the server does not know your token: link this device again")
                return Ending(4, error.words)
            except CannotDial as error:
                if not is_lost:
                    self._output.warn(f"cannot reach the server: {error.words}; trying again")
                is_lost = True
                await asyncio.sleep(max(next(pauses), getattr(error, "retry_after_s", 0)))
                continue
            except (ValueError, KeyError, TypeError):
                return Ending(1, "the answer is not understood")
            if is_lost:
                self._output.warn("connected again")
            if not after and not self._json_lines:
                self._output.say("waiting for notices; Ctrl-C ends it")
            pauses, after, is_lost = growing_pauses(), heard.next, False
            for notice in heard.notices:
                await self._tell(notice, act)

    async def _ask(self, after: str) -> NoticeList:
        url = self._server.api(f"me/notices?after={quote(after or 'now')}")
        heard = json.loads(await fetch(url, token=self._token, timeout_s=_POLL_S))
        return NoticeList(notices=tuple(_known(heard["notices"])), next=heard["next"])

    async def _tell(self, notice: Notice, act: Run) -> None:
        if self._json_lines:
            self._output.raw(notice.model_dump_json())
        else:
            address = notice.url or f"{self._server.web_url}/{notice.path}"
            self._output.say(f"{notice.text}  {address}")
        trouble = await act(notice)
        if trouble is not None:
            self._output.warn(trouble)


def _known(notices: Iterable[object]) -> Iterator[Notice]:
    """Yield the notices that this client understands: a newer server may have others."""
    for notice in notices:
        with suppress(ValidationError):
            yield Notice.model_validate_json(json.dumps(notice))


async def ring(_: Notice) -> str | None:
    """Ring the terminal's bell, if there is one."""
    if os.isatty(2):
        with suppress(OSError):  # the terminal may be gone
            os.write(2, b"\a")
    return None


def running(command: str) -> Run:
    """Return what runs a command of the shell at each notice.

    It gets the notice as JSON on its standard input, and what people want of it in variables.
    """

    async def run(notice: Notice) -> str | None:
        variables = {
            "TTT_NOTICE": notice.kind,
            "TTT_NOTICE_TEXT": clean(notice.text),
            "TTT_NOTICE_PATH": clean(notice.path),
            "TTT_NOTICE_URL": clean(notice.url or ""),
        }
        pipe, env = asyncio.subprocess.PIPE, os.environ | variables
        process = await asyncio.create_subprocess_shell(  # Ctrl-C is for us
            command, stdin=pipe, env=env, start_new_session=True
        )
        try:
            async with asyncio.timeout(_RUN_S):
                await process.communicate(notice.model_dump_json().encode())
        except TimeoutError:
            return f"the command ran for more than {_RUN_S:.0f} s and was ended"
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        return None if process.returncode == 0 else f"the command failed: {process.returncode}"

    return run
