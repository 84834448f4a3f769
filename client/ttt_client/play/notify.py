"""Wait for notices, and ring or run a command at each."""

import asyncio
import json
import os
import random
import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from urllib.parse import quote

from pydantic import ValidationError

from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_client.net.pauses import growing_pauses
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_protocol.notices import Notice, NoticeList
from ttt_protocol.text import clean

_POLL_S = 30.0
"""How long a request may take; a server answers sooner, if with nothing."""

_RUN_S = 60.0
"""How long a command may run."""

_BELL = "\a"

Run = Callable[[Notice], Awaitable[str | None]]
"""Does something at a notice; returns what went wrong."""


class Notify:
    """Waits for the notices of a person, over as many requests as it takes."""

    def __init__(
        self, server: ServerAddress, token: str, output: Output, *, json_lines: bool
    ) -> None:
        self._server = server
        self._token = token
        self._output = output
        self._json_lines = json_lines

    async def run(self, act: Run) -> Ending:
        """Print a line for each notice, and `act`; until the program is stopped."""
        pauses, after, is_lost = growing_pauses(random.random), "", False
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
            if not after:
                self._say_waiting()
            pauses, after, is_lost = growing_pauses(random.random), heard.next, False
            for notice in heard.notices:
                await self._tell(notice, act)

    def _say_waiting(self) -> None:
        if not self._json_lines:
            self._output.say("waiting for notices; Ctrl-C ends it")

    async def _ask(self, after: str) -> NoticeList:
        url = self._server.api(f"me/notices?after={quote(after or 'now')}")
        body = await fetch(url, token=self._token, timeout_s=_POLL_S)
        heard = json.loads(body)
        return NoticeList(notices=tuple(_known(heard["notices"])), next=heard["next"])

    async def _tell(self, notice: Notice, act: Run) -> None:
        if self._json_lines:
            self._output.raw(notice.model_dump_json())
        else:
            self._output.say(f"{notice.text}  {self._address(notice)}")
        trouble = await act(notice)
        if trouble is not None:
            self._output.warn(trouble)

    def _address(self, notice: Notice) -> str:
        return notice.url or f"{self._server.web_url}/{notice.path}"


def _known(notices: Iterable[object]) -> Iterator[Notice]:
    """Yield the notices that this client understands: a newer server may have others."""
    for notice in notices:
        with suppress(ValidationError):
            yield Notice.model_validate_json(json.dumps(notice))


async def ring(_: Notice) -> str | None:
    """Ring the terminal's bell, if there is one."""
    if os.isatty(2):
        with suppress(OSError):  # the terminal may be gone
            os.write(2, _BELL.encode())
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
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.PIPE,
            env=os.environ | variables,
            start_new_session=True,  # Ctrl-C is for us
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
