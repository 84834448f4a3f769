"""`ttt-client me`: the name that one keeps on a server, one's games and other devices."""

import argparse
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ttt_client.model.options import settings_of
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_client.net.person_tokens import default_file, recall_person, remember_person
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.own import challenge_lines, game_address, own_games
from ttt_protocol.state import Token
from ttt_protocol.text import clean

_WRONG_USAGE = 2

_EXPORT_S = 600.0
"""Seconds that an export may take: it may be long."""

_WAYS_IN = {"keep", "use", "recover"}
"""The actions of those who keep no name yet."""

Ask = Callable[[str], Awaitable[str | None]]
"""Ask for a secret that is not shown as it is typed, or read a line; `None` if there is none."""


async def run_me(arguments: argparse.Namespace, output: Output, ask: Ask) -> Ending:
    """Carry out the action."""
    myself = OwnPerson(arguments.server, output, as_json=arguments.json)
    action = arguments.action if arguments.command == "me" else arguments.command
    text: str | None = arguments.text
    if myself.is_nobody and action not in _WAYS_IN:
        words = "you keep no name on this server: me keep NAME, me use CODE or me recover NAME"
        return Ending(1, words)
    try:
        match action:
            case "challenge":
                return await myself.challenge(text or "", challenge_settings(arguments))
            case "show":
                return await myself.show()
            case "keep":
                return await myself.keep(text or arguments.name)
            case "link":
                return await myself.link()
            case "use":
                return await myself.use(text or await ask("the code of the link: "))
            case "export":
                return await myself.export()
            case "forget":
                return await myself.forget(text)
            case "challenges":
                return await myself.challenges()
            case "accept" | "decline":
                return await myself.answer(text, accept=action == "accept")
            case "block" | "unblock":
                return await myself.block(text, method="POST" if action == "block" else "DELETE")
            case "phrase":
                return await myself.phrase()
            case "recover":
                return await myself.recover(text or arguments.name, await ask("the six words: "))
            case _:
                return await myself.sign_out()
    except Rejected as error:
        return Ending(4, error.words)
    except CannotDial as error:
        return Ending(3, f"cannot reach the server: {error.words}")
    except OSError as error:
        return Ending(1, f"{default_file()}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        return Ending(1, "the answer is not understood")


def challenge_settings(arguments: argparse.Namespace) -> Mapping[str, object]:
    """Return the settings of a challenge's room that the arguments give."""
    settings = settings_of(
        rules=arguments.rules,
        clock=arguments.clock,
        days=arguments.days,
        opening=arguments.opening,
        rated=True if arguments.rated else None,
    )
    return {} if settings is None else settings.model_dump(mode="json", exclude_unset=True)


class OwnPerson:
    """This user's person on a server."""

    def __init__(self, server: ServerAddress, output: Output, *, as_json: bool) -> None:
        self._server = server
        self._output = output
        self._as_json = as_json
        self._token = recall_person(server)

    @property
    def is_nobody(self) -> bool:
        return self._token is None

    async def show(self) -> Ending:
        """Print who one is, and the newest games, those first that wait for a move."""
        said = await self._ask("GET", "me")
        page = await self._ask("GET", "me/games")
        games, url = page["games"], self._server.web_url
        listed = [{**game, "url": game_address(game, url)} for game in games]
        lines = own_games(games, url, time.time_ns() // 1_000_000)
        return self._told(
            {**said, "games": listed, "next": page["next"]},
            f"you are {_name(said)} on {self._server.url}",
            *lines,
            end=None if page["next"] is None else f"older ones are at {url}/me",
        )

    async def export(self) -> Ending:
        """Print all that the server keeps of this person, as JSON."""
        url = self._server.api("me/export")
        told = await fetch(url, token=self._token, timeout_s=_EXPORT_S, longest=None)
        self._output.raw(json.dumps(json.loads(told), ensure_ascii=False, indent=2))
        return Ending(0)

    async def forget(self, name: str | None) -> Ending:
        """Have the server forget this person, whose name was typed to say so."""
        kept = _name(await self._ask("GET", "me"))
        if name != kept:
            return Ending(_WRONG_USAGE, f"nothing was done; to be forgotten: me forget {kept!r}")
        await self._ask("DELETE", "me")
        remember_person(self._server, None)
        return Ending(0, "forgotten: the games stay your opponents', against somebody")

    async def challenge(self, name: str, settings: Mapping[str, object]) -> Ending:
        """Challenge somebody."""
        sent = await self._ask("POST", "challenges", {"to": name, "settings": settings})
        name = clean(str(sent["to"]))
        return self._told(sent, end=f"{name} has a day to answer: see me challenges")

    async def challenges(self) -> Ending:
        """Print the challenges to and from this person."""
        said = await self._ask("GET", "me/challenges")
        name = _name(await self._ask("GET", "me"))
        now = time.time_ns() // 1_000_000
        lines = challenge_lines(said["challenges"], name, self._server.web_url, now)
        return self._told(said, *lines, *([_blocked(said)] if said["blocked"] else []))

    async def answer(self, name: str | None, *, accept: bool) -> Ending:
        """Accept or decline the challenge of somebody."""
        own = _name(await self._ask("GET", "me"))
        said = await self._ask("GET", "me/challenges")
        theirs = [
            each
            for each in said["challenges"]
            if each["to"] == own and str(each["from"]).casefold() == (name or "").casefold()
        ]
        if not theirs:
            return Ending(1, "nobody of this name challenges you: see me challenges")
        answered = await self._ask("POST", f"challenges/{theirs[0]['id']}", {"accept": accept})
        if not accept:
            return Ending(0, "declined")
        self._output.say(f"{self._server.web_url}/rooms/{clean(str(answered['room']))}")
        return Ending(0, f"to play here: ttt-client join {clean(str(answered['room']))}")

    async def block(self, name: str | None, *, method: str) -> Ending:
        """Take no more challenges from somebody, or take them again."""
        if not name:
            return Ending(_WRONG_USAGE, "say whose challenges: a name")
        said = await self._ask(method, "me/blocks", {"name": name})
        return Ending(0, _blocked(said))

    async def keep(self, name: str) -> Ending:
        """Keep a name, and remember the token."""
        if self._token is not None:
            kept = _name(await self._ask("GET", "me"))
            return Ending(1, f"you keep the name {kept} already: me sign-out gives it up here")
        made = await self._ask("POST", "persons", {"name": name})
        return self._signed_in(made, "{} is yours on {}; me link adds another device")

    async def link(self) -> Ending:
        """Print a code for another device."""
        linked = await self._ask("POST", "me/link", {})
        code = str(linked["code"])
        end = f"once, within ten minutes: open it, or: ttt-client me use {code}"
        return self._told(linked, f"{self._server.web_url}/me#code={code}", end=end)

    async def use(self, code: str | None) -> Ending:
        """Become the person of a link, or of its code."""
        if not code:
            return Ending(_WRONG_USAGE, "me use needs the CODE of a link")
        code = code.rpartition("code=")[2].strip()
        found = await self._ask("POST", "persons/link", {"code": code}, is_mine=False)
        return self._signed_in(found, "this is {} on {} now, too")

    async def phrase(self) -> Ending:
        """Print a new phrase for the day when all devices are lost."""
        said = await self._ask("POST", "me/phrase", {})
        end = "write it down: it is not shown again, and an earlier one is void"
        return self._told(said, clean(str(said["phrase"])), end=end)

    async def recover(self, name: str, phrase: str | None) -> Ending:
        """Become the person whose phrase this is."""
        if not phrase:
            return Ending(_WRONG_USAGE, "me recover needs the six words of the phrase")
        asked = {"name": name, "phrase": phrase}
        found = await self._ask("POST", "persons/phrase", asked, is_mine=False)
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

    async def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        is_mine: bool = True,
    ) -> dict[str, Any]:
        token = self._token if is_mine else None
        url = self._server.api(path)
        said: dict[str, Any] = json.loads(await fetch(url, token=token, method=method, body=body))
        return said

    def _told(self, said: dict[str, Any], *lines: str, end: str | None = None) -> Ending:
        """Print the answer as JSON, or in these lines."""
        if self._as_json:
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
