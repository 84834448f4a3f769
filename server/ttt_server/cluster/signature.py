"""The headers that servers add to a relayed request: the client's address, signed. Pure.

    TTT-Client: 203.0.113.7
    TTT-Relay: KIND SECONDS SIGNATURE

The signature covers the kind, the path, the client and the time, with a key derived from the
installation's secret. Nobody else can make it.
"""

import hmac
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

CLIENT: Final = "TTT-Client"
RELAY: Final = "TTT-Relay"

MAX_AGE_S: Final = 60
"""How old a signature may be, by the clock of the database."""

Kind = Literal["client", "probe"]
"""
    client   the connection of a client
    probe    a question of the server itself
"""


class Relayed(NamedTuple):
    """What another server says about a request."""

    kind: Kind
    client: str
    """The client's address; empty for a server's own request."""


class Signer:
    """Signs and checks the headers. `secret` is that of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"ttt-rooms relay", "sha256")

    def headers(
        self, kind: Kind, path: str, client: str, now: float
    ) -> tuple[tuple[str, str], ...]:
        """Return the two headers for a request. `now`: Unix seconds, as all servers count them."""
        seconds = int(now)
        signature = self._signature(kind, path, client, seconds)
        return (CLIENT, client), (RELAY, f"{kind} {seconds} {signature}")

    def check(
        self, path: str, clients: Sequence[str], relays: Sequence[str], now: float
    ) -> Relayed | None:
        """Return what the headers say; `None` unless a server of this installation signed them.

        Args:
            path: of the request.
            clients: its `TTT-Client` headers.
            relays: its `TTT-Relay` headers.
            now: Unix seconds.
        """
        if len(clients) != 1 or len(relays) != 1:
            return None
        kind, _, rest = relays[0].partition(" ")
        seconds, _, signature = rest.partition(" ")
        if kind not in {"client", "probe"} or not (
            seconds.isascii() and seconds.isdigit() and len(seconds) <= 12
        ):
            return None
        expected = self._signature(kind, path, clients[0], int(seconds))
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            return None
        if abs(now - int(seconds)) > MAX_AGE_S:
            return None
        return Relayed("client" if kind == "client" else "probe", clients[0])

    def _signature(self, kind: str, path: str, client: str, seconds: int) -> str:
        signed = "\n".join((kind, path, client, str(seconds)))
        return hmac.digest(self._key, signed.encode(), "sha256").hex()
