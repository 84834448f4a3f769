"""The address of a server as people type it, and the addresses derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from ttt_protocol.state import RoomName, parse_room_name
from ttt_protocol.tournament.settings import TournamentName, parse_tournament_name

DEFAULT_PORT = 8765
_SECURE = {"ws": False, "http": False, "wss": True, "https": True}


class InvalidAddress(ValueError):
    """The text is not the address of a server; the message is for people."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server, the same for every spelling of its address."""

    secure: bool
    host: str
    """A host name or an IP address, IPv6 without brackets."""
    port: int
    prefix: str = ""
    """A path in front of the server's own, such as `/ttt`."""

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{'wss' if self.secure else 'ws'}://{self.netloc}{self.prefix}"

    @property
    def web_url(self) -> str:
        """The HTTP address of the server's page."""
        return f"{'https' if self.secure else 'http'}://{self.netloc}{self.prefix}"

    def socket(self, place: str) -> str:
        """Return the WebSocket address of a place: `play`, `rooms/NAME`, `events/NAME`."""
        return f"{self.url}/ws/{place}"

    def lobby(self, after: RoomName | None = None, *, changes: bool = True) -> str:
        """Return the WebSocket address of a page of the lobby: the first, or after a name.

        With `changes` the server tells those after its first list; an older one sends only lists.
        """
        query = {"changes": "1"} if changes else {}
        query |= {"after": after} if after else {}
        return self.socket("lobby" + (f"?{urlencode(query)}" if query else ""))

    def api(self, page: str, query: Mapping[str, str] | None = None) -> str:
        """Return the HTTP address of data: `rooms`, `rooms/NAME/games/N`, `trace`, ..."""
        return f"{self.web_url}/api/{page}" + (f"?{urlencode(query)}" if query is not None else "")

    def explore_page(self, query: Mapping[str, str]) -> str:
        """Return the HTTP address of the page that explores a position."""
        return f"{self.web_url}/explore?{urlencode(query)}"

    def event_page(self, event: str) -> str:
        """Return the HTTP address of an event's page."""
        return f"{self.web_url}/events/{event}"


def parse_room(text: str) -> tuple[RoomName, ServerAddress | None]:
    """Parse the name of a room, or its web address, which names the server too.

    Raises:
        InvalidRoomName: if it is no name of a room.
        InvalidAddress: if it is the address of something else.
    """
    name, server = _parse_place(text, "rooms", "the address of a room ends with /rooms/NAME")
    return parse_room_name(name), server


def parse_event(text: str) -> tuple[TournamentName, ServerAddress | None]:
    """Parse the name of an event, or the web address of its page or wall, as that of a room.

    Raises:
        InvalidTournamentName: if it is no name of an event.
        InvalidAddress: if it is the address of something else.
    """
    name, server = _parse_place(text, "events", "the address of an event ends with /events/NAME")
    return parse_tournament_name(name), server


def _parse_place(text: str, kind: str, wrong: str) -> tuple[str, ServerAddress | None]:
    """Return a name as it was typed, or the name and the server in a web address."""
    if "://" not in text:
        return text, None
    address = text.partition("?")[0].partition("#")[0].rstrip("/").removesuffix("/wall")
    base, found, name = address.rpartition(f"/{kind}/")
    if not found:
        raise InvalidAddress(wrong)
    return name, parse_server(base.removesuffix("/ws").removesuffix("/api"))


def parse_server(text: str) -> ServerAddress:
    """Parse a `ws://`, `wss://`, `http://` or `https://` address, or `host[:port][/path]`.

    Raises:
        InvalidAddress: if it is not the address of a server.
    """
    bare = "://" not in text
    try:
        parts = urlsplit(f"ws://{text}" if bare else text)
        port = parts.port
    except ValueError:
        why = "it is like ws://HOST:PORT, with a port of at most 65535"
        raise InvalidAddress(f"not an address of a server: {why}") from None
    if parts.scheme not in _SECURE:
        raise InvalidAddress("an address begins with ws://, wss://, http:// or https://, or a host")
    host = parts.hostname
    has_more = parts.query or parts.fragment or "@" in parts.netloc
    if not host or has_more or not all(33 <= ord(char) < 127 for char in text):
        raise InvalidAddress("not an address of a server: it is like ws://HOST:PORT")
    if port == 0:
        raise InvalidAddress("not an address of a server: no server is at port 0")
    secure = _SECURE[parts.scheme]
    if port is None:
        port = DEFAULT_PORT if bare else 443 if secure else 80
    return ServerAddress(secure, host, port, parts.path.rstrip("/"))
