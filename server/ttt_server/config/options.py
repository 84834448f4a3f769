"""The options of the server, their defaults, and the limits that follow from them.

`load` reads them: flags override the environment, which overrides the file.
"""

import ast
import os
import tomllib
from collections.abc import Iterator
from inspect import getsource
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

import pydantic
from platformdirs import user_state_path

from ttt_protocol.faults import first_fault
from ttt_protocol.state import MAX_FRAME
from ttt_server.config import values
from ttt_server.limits.connections import ConnectionLimits
from ttt_server.limits.rates import AddressLimits, Rate
from ttt_server.rooms.registry import RoomLimits
from ttt_server.storage import is_postgres
from ttt_server.storage.retention import Retention

ENV_PREFIX = "TTT_"

FRAMES_PER_COMMAND = 5
"""A command may arrive in fragments, with pings between them."""

LEAST_FRAME_BURST = 300
"""The least limit of frames at once. All frames of one read are counted before the first is
answered, and commands over a small `command_burst` are to have their refusals."""

LEAST_CONNECTS = 2000
"""The smallest default for connections from one address in 10 seconds."""


HEADINGS = {
    "host": "address",
    "data": "rooms and their store",
    "allow_origin": "pages, proxies and encryption",
    "persons": "people who come back",
    "log_format": "log",
    "max_connections": "limits",
    "send_timeout_s": "times",
    "keep_games": "what is kept",
    "workers": "strategies",
    "notify_webhook": "notices",
}
"""Headings of the help, by the first option below each."""


class InvalidConfig(Exception):
    """An option has an invalid value; the message is one line for the operator."""


class Config(pydantic.BaseModel):
    """The options of the server. A field's name is its flag, its variable and its key.

    The text below a field is its help: see `help_texts`.

    `Config(...)` takes what it is given and the defaults, and reads nothing else; `load`
    reads the environment and a file as well.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    host: str = pydantic.Field("127.0.0.1", min_length=1)
    """address to listen on"""
    port: int = pydantic.Field(8765, ge=0, le=65535)
    """port to listen on; 0 takes a free one"""
    data: values.GivenPath = pydantic.Field(default_factory=lambda: user_state_path("ttt-server"))
    """folder of the database and the token secret (default: the platform's own)"""
    store: values.StoreUrl = pydantic.Field("sqlite:", repr=False)
    """sqlite: (a file in the data folder), memory: (keeps nothing) or
    postgresql://USER@HOST/DATABASE, which many servers may share"""
    advertise: values.ServerAddress | None = None
    """address at which the other servers on the same PostgreSQL reach this one (default: the
    one that it listens on)"""
    lease_s: float = pydantic.Field(5, ge=1, le=300, allow_inf_nan=False)
    """how long a server may be silent before others take over its rooms"""
    processes: values.Processes = 1
    """processes that share the port, on one PostgreSQL: a number, or auto for one on each
    processor"""
    accept_loss: bool = False
    """start although the token secret of the rooms in the database is missing, and their seats
    are lost; or the database's write-ahead log is damaged, and moves may be"""
    secret: str | None = pydantic.Field(None, min_length=16, repr=False)
    """signs seat tokens, in place of the file"""
    allow_origin: values.Origins = ()
    """origins of other sites' pages that may connect, comma-separated"""
    allow_frame_ancestor: values.Origins = ()
    """origins of other sites' pages that may show the page in a frame, with commas between"""
    allow_host: values.Hosts = ()
    """names under which pages may reach a server on a loopback address, with commas between"""
    trusted_proxies: values.ProxyAddresses = ()
    """addresses and networks whose X-Forwarded-For counts, comma-separated"""
    public_url: values.PageUrl | None = None
    """address of the page as people know it, for the picture in previews of links (default:
    from a request that no proxy has passed on)"""
    tls_cert: values.GivenPath | None = None
    """certificate chain, for wss://"""
    tls_key: values.GivenPath | None = None
    """the certificate's private key"""
    persons: Literal["yes", "no"] = "yes"
    """whether people may keep a name on this server, on all their devices: yes or no"""
    guests: Literal["yes", "no"] = "yes"
    """whether guests may play and watch: people unknown to the proxy and the OpenID provider"""
    oidc_issuer: values.IssuerUrl | None = None
    """issuer of the OpenID provider that signs people in: https://id.example.org"""
    oidc_client_id: str | None = pydantic.Field(None, min_length=1)
    """client id of this server at the OpenID provider"""
    oidc_client_secret: str | None = pydantic.Field(None, min_length=1, repr=False)
    """client secret of this server; better set as TTT_OIDC_CLIENT_SECRET"""
    identity_header: values.HeaderName | None = None
    """header in which a trusted proxy names the user, such as Remote-User"""
    log_format: Literal["text", "json"] = "text"
    """form of the log: text or json"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """the least severe level that is logged: debug, info, warning or error"""
    max_connections: values.Limit = 10_000
    """connections at once"""
    max_connections_per_address: values.Limit = 200
    """connections at once from one address"""
    max_rooms: values.Limit = 10_000
    """rooms in memory at once"""
    max_rooms_per_address: values.Limit = 100
    """rooms in memory at once that were made from one address"""
    max_frame: int = pydantic.Field(MAX_FRAME, ge=256, le=1 << 20)
    """bytes of one frame from a client"""
    commands_per_10s: values.Limit = 60
    """commands of a connection in 10 seconds"""
    command_burst: values.Limit = 60
    """commands of a connection at once"""
    connects_per_10s_per_address: values.Limit | None = None
    """connections and plain requests of an address in 10 seconds (default: 10 times
    --max-connections-per-address, at least 2000)"""
    commands_per_10s_per_address: values.Limit | None = None
    """commands of an address in 10 seconds; above it only its calm connections are heard
    (default: 100 times --commands-per-10s)"""
    guesses_per_minute_per_address: values.Limit | None = None
    """wrong tokens and passwords of an address in a minute (default: 2 times
    --command-burst)"""
    outbox: values.Limit = 64
    """messages that wait for one slow connection"""
    send_timeout_s: values.Duration = 5
    """a connection that takes no data for this time is cut"""
    join_timeout_s: values.Duration = 10
    """time to join after connecting"""
    quick_wait_s: values.Duration = 10
    """a quick match waits for a player this long before an AI offers itself"""
    room_idle_s: values.Duration = 300
    """time that an empty room stays in memory"""
    room_abandon_s: values.Duration = 86_400
    """an unfinished game that all members left is ended after this time"""
    drain_s: values.Duration = 5
    """the longest time that a stop may take"""
    keep_games: values.Limit | None = None
    """minimum number of games to keep per room; older ones are deleted for good"""
    forget_rooms_after: values.Age | None = None
    """a room without an event for this time is deleted: 90d, or with h, m, s"""
    forget_unplayed_after: values.Age = 86_400
    """a room in which no move was made is deleted after this time"""
    forget_events_after: values.Age | None = None
    """an event without a change for this time is deleted, with its games and names"""
    forget_persons_after: values.Age = 730 * 86_400
    """forget persons who have not been here for this long: 730d, or with h, m, s"""
    workers: values.Limit = 2
    """processes that think for AI seats"""
    ai_memory_mb: int = pydantic.Field(512, ge=64, le=1 << 20)
    """memory of each process that thinks"""
    strategies: values.Programs = pydantic.Field(default_factory=dict)
    """programs that may sit in AI seats: a table of the file for each, [strategies.NAME], or
    JSON"""
    ladder: values.GivenPath | None = None
    """file that `ttt-server ladder --standings` writes, shown at /ladder"""
    notify_webhook: values.WebhookUrl | None = pydantic.Field(None, repr=False)
    """address that gets each notice for a person who is away, as JSON by POST"""
    notify_secret: str | None = pydantic.Field(None, min_length=8, repr=False)
    """signs the requests to it: the header webhook-signature"""
    notify_template: values.GivenPath | None = None
    """file with the JSON to send there, with {text}, {url} and the like in its texts (default:
    all that is known of the notice)"""
    push_services: values.Origins = ()
    """origins of push services beside those of the well-known browsers, comma-separated"""

    @property
    def kept(self) -> dict[str, float | None]:
        """How many games of a room are kept, and for how many seconds the rest; `None` for ever."""
        return {
            "games": self.keep_games,
            "unplayed": self.forget_unplayed_after,
            "rooms": self.forget_rooms_after,
            "events": self.forget_events_after,
            "people": self.forget_persons_after if self.persons == "yes" else 0,
        }

    @property
    def command_limits(self) -> Rate:
        """The limits of one connection's commands."""
        return Rate(self.commands_per_10s / 10, self.command_burst)

    @property
    def address_limits(self) -> AddressLimits:
        """The limits of all connections from one address.

        A limit that is not set follows from the limits of one connection.
        """
        at_once = self.max_connections_per_address
        connects = self.connects_per_10s_per_address or max(10 * at_once, LEAST_CONNECTS)
        commands = self.commands_per_10s_per_address or 100 * self.commands_per_10s
        burst = self.commands_per_10s_per_address or 100 * self.command_burst
        guesses = self.guesses_per_minute_per_address or 2 * self.command_burst
        return AddressLimits(
            connections=at_once,
            connects=Rate(connects / 10, connects),
            commands=Rate(commands / 10, burst),
            guesses=Rate(guesses / 60, guesses),
        )

    @property
    def connection_limits(self) -> ConnectionLimits:
        """The limits on one connection's frames and send queue."""
        return ConnectionLimits(
            max_frame=self.max_frame,
            frames_per_s=self.commands_per_10s * FRAMES_PER_COMMAND / 10,
            frame_burst=max(self.command_burst * FRAMES_PER_COMMAND, LEAST_FRAME_BURST),
            outbox=self.outbox,
            send_timeout_s=self.send_timeout_s,
        )

    @property
    def room_limits(self) -> RoomLimits:
        """The limits on rooms in memory, and their timeouts."""
        return RoomLimits(
            rooms=self.max_rooms,
            rooms_per_address=self.max_rooms_per_address,
            idle_s=self.room_idle_s,
            abandon_s=self.room_abandon_s,
        )

    @property
    def retention(self) -> Retention:
        """Which rooms and games are kept."""
        kept = self.keep_games, self.forget_rooms_after, self.forget_events_after
        return Retention(*kept, self.forget_unplayed_after)

    @pydantic.field_validator("*", mode="before")
    @classmethod
    def _require_no_truth_value(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        # A file may contain one, and pydantic would read it as 1 or 0.
        if isinstance(value, bool) and info.field_name != "accept_loss":
            raise ValueError("cannot be true or false")
        return value

    @pydantic.model_validator(mode="after")
    def _require_agreement(self) -> Self:
        for words in self._contradictions():  # the first is enough
            raise ValueError(words)
        return self

    def _contradictions(self) -> Iterator[str]:
        """Yield what is wrong with options that do not go together."""
        if (self.tls_cert is None) != (self.tls_key is None):
            yield "--tls-cert and --tls-key go together"
        if self.identity_header is not None and not self.trusted_proxies:
            yield "--identity-header needs --trusted-proxies: who may send it"
        if (self.oidc_issuer is None) != (self.oidc_client_id is None):
            yield "--oidc-issuer and --oidc-client-id go together"
        knows_people = self.identity_header is not None or self.oidc_issuer is not None
        if self.persons == "no" and (knows_people or self.guests == "no"):
            yield "--persons no goes without --guests, --identity-header and --oidc-issuer"
        if self.guests == "no" and not knows_people:
            yield "--guests no needs --identity-header or --oidc-issuer: nobody could come in"
        if self.processes != 1 and not is_postgres(self.store):
            yield (
                f"--processes: {self.store} serves one process; several share the rooms in"
                " PostgreSQL: --store postgresql://USER@HOST/DATABASE"
            )
        for name in ("notify_secret", "notify_template"):
            if getattr(self, name) is not None and self.notify_webhook is None:
                yield f"{flag(name)} needs --notify-webhook"


def load(flags: dict[str, Any], file: str | Path | None) -> Config:
    """Return the options from `flags`, the environment and the TOML `file`, in this order.

    Args:
        flags: values by field.
        file: the file's path; `None` for the file that `TTT_CONFIG` names, if it names one.

    Raises:
        InvalidConfig: naming the option and its fault.
    """
    if file is None:
        file = os.environ.get(f"{ENV_PREFIX}CONFIG") or None
    given = _in_file(file) | _in_environment() | flags
    try:
        return Config(**given)
    except pydantic.ValidationError as error:
        where, what = first_fault(error)
        field, _, part = where.partition(".")
        if field and field not in Config.model_fields:  # only a file can
            meant = field.removeprefix("--").replace("-", "_")
            hint = f"; write {meant}" if meant in Config.model_fields else ""
            raise InvalidConfig(f"--config: {file}: there is no option {field!r}{hint}") from None
        places = [flag(field)] if field else []
        if part and not part.isdecimal():  # a key of a table; items of a list have no name
            places.append(part)
        raise InvalidConfig(": ".join([*places, what])) from None


def flag(field: str) -> str:
    """Return the flag of a field: `--max-rooms` for `max_rooms`."""
    return "--" + field.replace("_", "-")


def _in_environment() -> dict[str, str]:
    variables = {field: ENV_PREFIX + field.upper() for field in Config.model_fields}
    return {field: os.environ[name] for field, name in variables.items() if name in os.environ}


def _in_file(file: str | Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    if not str(file):
        raise InvalidConfig("--config: must not be empty")
    try:
        content = Path(file).read_bytes()
        return tomllib.loads(content.decode())
    except OSError as error:
        raise InvalidConfig(f"--config: {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidConfig(f"--config: {file}: line {line} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidConfig(f"--config: {file}: is no TOML: {error}") from None


def help_texts() -> dict[str, str]:
    """Read the help of each option in this file: pydantic would do so at each start, in 20 ms."""
    [config] = ast.parse(getsource(Config)).body
    texts = {}
    for nodes in pairwise(ast.iter_child_nodes(config)):
        match nodes:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                texts[name] = text
            case _:
                pass
    return texts
