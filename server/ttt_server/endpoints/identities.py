"""As whom a client comes in: by a person's token, by what a proxy says of it, or as a guest."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_protocol.codes import RefusalCode
from ttt_server.core.errors import Refused
from ttt_server.people.service import People, Person
from ttt_server.telemetry.counters import Counters

PROXY: Final = "proxy"
"""The issuer of identities that a trusted proxy names."""

_LONGEST: Final = 256


class IdentityHeader(NamedTuple):
    """The header in which a trusted proxy names the user."""

    name: str | None
    """`None` where no proxy does."""
    counters: Counters

    def vetted(self, request: Request, *, is_proxied: bool) -> Request:
        """Return a request in which the header, if it is there, is a trusted proxy's.

        From anyone else it is ignored and counted; so is one that is there twice.
        """
        if self.name is None or self.name not in request.headers:
            return request
        if is_proxied and len(request.headers.get_all(self.name)) == 1:
            return request
        self.counters.note_false_identity()
        kept = Headers()
        for name, value in request.headers.raw_items():
            if name.lower() != self.name.lower():
                kept[name] = value
        return replace(request, headers=kept)

    def of(self, request: Request) -> str | None:
        """Return whom the header of a vetted request names; `None` if nobody."""
        if self.name is None:
            return None
        sent = request.headers.get(self.name, "").encode("latin-1", "replace")
        named = sent.decode(errors="replace").strip()  # the library takes headers for Latin-1
        return named[:_LONGEST] or None


@dataclass(eq=False, slots=True)
class Admittance:
    """Finds the person behind a command, and refuses guests where there are to be none."""

    people: People | None = None
    """`None` if the server keeps no persons."""
    has_guests: bool = True

    def is_guest(self, token: str | None, identity: str | None) -> bool:
        """Return whether a client comes in as a guest, and may."""
        return token is None and identity is None and self.has_guests

    async def person(self, command: str, token: str | None, identity: str | None) -> Person | None:
        """Return who sends a command; `None` for a guest.

        Args:
            command: its type.
            token: that of the person, if the command has one.
            identity: whom the proxy names, if it names someone.

        Raises:
            Refused: `bad_token`; `not_allowed` for a guest where there are none; `bad_command`
                where no persons are kept.
            StorageFailed: if the person could not be looked up.
        """
        if self.people is None:
            if token is None:
                return None
            # As any field that a server does not know.
            words = f"{command}: has an unknown field: person"
            raise Refused(RefusalCode.BAD_COMMAND, words)
        if identity is not None:
            return await self.people.of_identity(PROXY, identity, identity)
        if token is not None:
            return await self.people.of_token(token)
        if self.has_guests:
            return None
        words = "this server is for people it knows: sign in first"
        raise Refused(RefusalCode.NOT_ALLOWED, words)
