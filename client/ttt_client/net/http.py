"""Requests over HTTP, with the same failures as `dial`."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from ttt_client.net import dial
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending
from ttt_protocol.codec import BadMessage
from ttt_protocol.text import clean

T = TypeVar("T")

_LONGEST_WORDS = 200
"""Bytes read of a refusal's own text."""


async def fetch(
    url: str,
    *,
    token: str | None = None,
    timeout_s: float = 10,
    method: str = "GET",
    body: Mapping[str, object] | None = None,
    longest: int | None = dial.MAX_MESSAGE,
) -> bytes:
    """Return the body at `url`.

    Args:
        url: an `http://` or `https://` address.
        token: the token of a seat, which opens the records of the player's own games; or that of a
            person.
        timeout_s: seconds that the answer may take.
        method: of the request.
        body: its JSON.
        longest: bytes after which the answer is cut; `None` reads all of it.

    Raises:
        Unreachable: if no server answers, or it answers that it is not able now.
        Rejected: if the server refuses, with its own text if it sends one.
    """
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    headers |= {} if body is None else {"Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, headers, method=method)  # noqa: S310 - as the user gave it
    try:
        async with asyncio.timeout(timeout_s):
            return await _beside(lambda: _ask(request, timeout_s, longest))
    except TimeoutError:
        raise dial.Unreachable("no answer in time") from None


async def read_page(
    url: str, read: Callable[[bytes], T], *, token: str | None = None
) -> T | Ending:
    """Return what `read` makes of the body at `url`, or the end of a program that needs it.

    Args:
        url: as in `fetch`.
        read: raises `BadMessage` or another `ValueError` for what it does not understand.
        token: as in `fetch`.
    """
    try:
        return read(await fetch(url, token=token))
    except dial.Rejected as error:
        return Ending(4, error.words)
    except dial.CannotDial as error:
        return Ending(3, f"cannot reach the server: {error.words}")
    except (BadMessage, ValueError) as error:
        why = f": {clean(str(error))}" if isinstance(error, BadMessage) else ""
        return Ending(1, f"the answer is not understood{why}")


async def listed(server: ServerAddress, kind: str, timeout_s: float) -> dict[str, dict[str, Any]]:
    """Return what the server lists at `/api/KIND`, by names; nothing if it cannot be read soon."""
    try:
        found = json.loads(await fetch(server.api(kind), timeout_s=timeout_s))
        return {one["name"]: one for one in found[kind] if isinstance(one["name"], str)}
    except (dial.CannotDial, ValueError, TypeError, KeyError):
        return {}


async def _beside(work: Callable[[], T]) -> T:
    """Run `work` in a thread that does not delay the end of the program."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="fetch", daemon=True).start()
    return await asyncio.wrap_future(future)


def _ask(request: Request, timeout_s: float, longest: int | None) -> bytes:
    # A proxy would take this machine's address for its own.
    host = urlsplit(request.full_url).hostname or ""
    proxies: dict[str, str] | None = {} if dial.is_local(host) else None
    try:
        with build_opener(ProxyHandler(proxies)).open(request, timeout=timeout_s) as answer:
            answered: bytes = answer.read(longest)
            return answered
    except HTTPError as error:
        with error:
            raise _refusal(error) from None
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        why = dial.words_of(reason) if isinstance(reason, OSError) else clean(str(reason))
        raise dial.Unreachable(why) from None
    except HTTPException:
        raise dial.Unreachable("what answers there is not a web server") from None


def _refusal(error: HTTPError) -> dial.CannotDial:
    found = dial.refusal(error.code, error.headers.get("Retry-After", ""))
    if isinstance(found, dial.Rejected) and error.headers.get_content_type() == "text/plain":
        said = clean(error.read(_LONGEST_WORDS).decode(errors="replace")).strip()
        if said:
            return dial.Rejected(f"refused: {said} (HTTP {error.code})", error.code, said)
    return found
