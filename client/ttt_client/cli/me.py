"""`ttt-client me`: the name that one keeps on a server, one's games and other devices."""

import argparse
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_client.net.person_tokens import default_file, recall_person, remember_person
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.own_games import game_address, own_games
from ttt_protocol.state import Token
from ttt_protocol.text import clean

_WRONG_USAGE = 2

Ask = Callable[[str], Awaitable[str | None]]
"""Ask for a secret that is not shown as it is typed, or read a line; `None` if there is none."""


async def run_me(arguments: argparse.Namespace, output: Output, ask: Ask) -> Ending:
    """Carry out the action."""
    myself = OwnPerson(arguments.server, output, as_json=arguments.json)
    text: str | None = arguments.text
    try:
        match arguments.action:
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


class OwnPerson:
    """This user's person on a server."""

    def __init__(self, server: ServerAddress, output: Output, *, as_json: bool) -> None:
        self._server = server
        self._output = output
        self._as_json = as_json
        self._token = recall_person(server)

    async def show(self) -> Ending:
        """Print who one is, and the newest games, those first that wait for a move."""
        if self._token is None:
            return _nobody()
        said = await self._ask("GET", "me")
        page = await self._ask("GET", "me/games")
        games, url = page["games"], self._server.web_url
        if self._as_json:
            listed = [{**game, "url": game_address(game, url)} for game in games]
            self._output.raw(json.dumps({**said, "games": listed, "next": page["next"]}))
            return Ending(0)
        self._output.say(f"you are {_name(said)} on {self._server.url}")
        for line in own_games(games, url, time.time_ns() // 1_000_000):
            self._output.say(line)
        more = None if page["next"] is None else f"older ones are at {url}/me"
        return Ending(0, more)

    async def export(self) -> Ending:
        """Print all that the server keeps of this person, as JSON."""
        if self._token is None:
            return _nobody()
        kept = await self._ask("GET", "me/export")
        self._output.raw(json.dumps(kept, ensure_ascii=False, indent=2))
        return Ending(0)

    async def forget(self, name: str | None) -> Ending:
        """Have the server forget this person, whose name was typed to say so."""
        if self._token is None:
            return _nobody()
        kept = _name(await self._ask("GET", "me"))
        if name != kept:
            return Ending(_WRONG_USAGE, f"nothing was done; to be forgotten: me forget {kept!r}")
        await self._ask("DELETE", "me")
        remember_person(self._server, None)
        return Ending(0, "forgotten: the games stay your opponents', against somebody")

    async def keep(self, name: str) -> Ending:
        """Keep a name, and remember the token."""
        if self._token is not None:
            kept = _name(await self._ask("GET", "me"))
            return Ending(1, f"you keep the name {kept} already: me sign-out gives it up here")
        made = await self._ask("POST", "persons", {"name": name})
        return self._signed_in(made, "{} is yours on {}; me link adds another device")

    async def link(self) -> Ending:
        """Print a code for another device."""
        if self._token is None:
            return _nobody()
        linked = await self._ask("POST", "me/link", {})
        code = str(linked["code"])
        if self._as_json:
            self._output.raw(json.dumps(linked))
            return Ending(0)
        self._output.say(f"{self._server.web_url}/me#code={code}")
        return Ending(0, f"once, within ten minutes: open it, or: ttt-client me use {code}")

    async def use(self, code: str | None) -> Ending:
        """Become the person of a link, or of its code."""
        if not code:
            return Ending(_WRONG_USAGE, "me use needs the CODE of a link")
        code = code.rpartition("code=")[2].strip()
        found = await self._ask("POST", "persons/link", {"code": code}, is_mine=False)
        return self._signed_in(found, "this is {} on {} now, too")

    async def phrase(self) -> Ending:
        """Print a new phrase for the day when all devices are lost."""
        if self._token is None:
            return _nobody()
        said = await self._ask("POST", "me/phrase", {})
        if self._as_json:
            self._output.raw(json.dumps(said))
            return Ending(0)
        self._output.say(clean(str(said["phrase"])))
        return Ending(0, "write it down: it is not shown again, and an earlier one is void")

    async def recover(self, name: str, phrase: str | None) -> Ending:
        """Become the person whose phrase this is."""
        if not phrase:
            return Ending(_WRONG_USAGE, "me recover needs the six words of the phrase")
        asked = {"name": name, "phrase": phrase}
        found = await self._ask("POST", "persons/phrase", asked, is_mine=False)
        return self._signed_in(found, "this is {} on {} again")

    async def sign_out(self) -> Ending:
        """Make all tokens void, that of this machine as well."""
        if self._token is None:
            return _nobody()
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

    def _signed_in(self, said: dict[str, Any], words: str) -> Ending:
        name = _name(said)
        remember_person(self._server, Token(str(said["token"])))
        return Ending(0, words.format(name, self._server.url))


def _nobody() -> Ending:
    words = "you keep no name on this server: me keep NAME, me use CODE or me recover NAME"
    return Ending(1, words)


def _name(said: dict[str, Any]) -> str:
    return clean(str(said["person"]["name"]))
