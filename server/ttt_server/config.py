"""The options of the server: flags before environment before file before defaults."""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ttt_engine.strategies.registry import OWN_NAMES
from ttt_protocol.state import MAX_FRAME
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.limits.addresses import AddressLimits
from ttt_server.limits.client_address import Proxies
from ttt_server.limits.commands import CommandLimits
from ttt_server.limits.durations import Age, Duration

if TYPE_CHECKING:
    from ttt_server.rooms.registry import RoomLimits
    from ttt_server.storage.retention import Retention
    from ttt_server.transport.context import ConnectionLimits

ENV_PREFIX = "TTT_"

FRAMES_PER_COMMAND = 5
"""A command may come in fragments, with pings between them."""

LEAST_CONNECTS = 2000
"""The least limit of connections from one address in 10 seconds, unless it is set."""

Limit = Annotated[int, Field(ge=1)]


class InvalidConfig(Exception):
    """An option has a value that cannot be used, in one line for the operator."""


def _state_folder() -> Path:
    from platformdirs import user_state_path  # noqa: PLC0415 - not needed where a folder is given

    return user_state_path("ttt-server")


class Config(BaseModel):
    """The options of the server. A field's name is its flag, its variable and its key.

    `Config(...)` takes what it is given and the defaults, and reads nothing else; `load` reads the
    environment and a file as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(8765, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    data: Path = Field(
        default_factory=_state_folder,
        description="folder of the database and the token secret (default: the platform's own)",
    )
    store: str = Field(
        "sqlite:",
        repr=False,
        description="sqlite: (a file in the data folder), memory: (keeps nothing) or"
        " postgresql://USER@HOST/DATABASE, which many servers may share",
    )
    advertise: str | None = Field(
        None,
        description="address at which the other servers on the same PostgreSQL reach this one"
        " (default: the one that it listens on)",
    )
    lease_s: float = Field(
        5,
        ge=1,
        le=300,
        allow_inf_nan=False,
        description="time after which others take over the rooms of a server that is not heard of",
    )
    accept_loss: bool = Field(
        False,
        description="start although the token secret of the rooms in the database is missing, and"
        " their seats are lost; or the database's write-ahead log is damaged, and moves may be",
    )
    secret: str | None = Field(
        None, min_length=16, repr=False, description="signs seat tokens, in place of the file"
    )
    allow_origin: tuple[str, ...] = Field(
        (), description="origins of other sites' pages that may connect, with commas between"
    )
    allow_frame_ancestor: tuple[str, ...] = Field(
        (), description="origins of other sites' pages that may show the page in a frame, the same"
    )
    allow_host: tuple[str, ...] = Field(
        (), description="names under which pages may reach a server on a loopback address, the same"
    )
    public_url: str | None = Field(
        None,
        description="address of the page as people know it, for the picture in previews of links"
        " (default: from a request that no proxy has passed on)",
    )
    trusted_proxies: tuple[str, ...] = Field(
        (), description="addresses and networks whose X-Forwarded-For counts, the same"
    )
    tls_cert: Path | None = Field(None, description="certificate chain, for wss://")
    tls_key: Path | None = Field(None, description="the certificate's private key")
    log_format: Literal["text", "json"] = Field("text", description="form of the log")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="the least severe level that is logged"
    )
    max_connections: Limit = Field(10_000, description="connections at once")
    max_connections_per_address: Limit = Field(200, description="the same, from one address")
    max_rooms: Limit = Field(10_000, description="rooms in memory at once")
    max_rooms_per_address: Limit = Field(100, description="the same, made from one address")
    max_frame: int = Field(
        MAX_FRAME, ge=256, le=1 << 20, description="bytes of one frame from a client"
    )
    commands_per_10s: Limit = Field(60, description="commands of a connection in 10 seconds")
    command_burst: Limit = Field(60, description="commands of a connection at once")
    connects_per_10s_per_address: Limit | None = Field(
        None,
        description="connections and plain requests of an address in 10 seconds"
        " (default: 10 times --max-connections-per-address, at least 2000)",
    )
    commands_per_10s_per_address: Limit | None = Field(
        None,
        description="commands of an address in 10 seconds, before only its calm connections are"
        " heard (default: 100 times --commands-per-10s)",
    )
    guesses_per_minute_per_address: Limit | None = Field(
        None,
        description="wrong tokens and passwords of an address in a minute"
        " (default: 2 times --command-burst)",
    )
    outbox: Limit = Field(64, description="messages that wait for one slow connection")
    send_timeout_s: Duration = Field(
        5, description="a connection that takes no data for this time is cut"
    )
    join_timeout_s: Duration = Field(10, description="time to join after connecting")
    quick_wait_s: Duration = Field(
        10, description="a quick match waits for a player this long before an AI offers itself"
    )
    room_idle_s: Duration = Field(300, description="time that an empty room stays in memory")
    room_abandon_s: Duration = Field(
        86_400, description="an unfinished game that all members left is ended after this time"
    )
    keep_games: Limit | None = Field(
        None, description="games of a room that are kept at least; older ones are dropped for good"
    )
    forget_rooms_after: Age | None = Field(
        None,
        description="a room without an event for this time is deleted: 90d, or with h, m, s",
    )
    forget_unplayed_after: Age = Field(
        86_400, description="the same, for a room in which no move was made"
    )
    forget_events_after: Age | None = Field(
        None,
        description="an event without a change for this time is deleted, with its games and names",
    )
    drain_s: Duration = Field(5, description="the longest time that a stop may take")
    workers: Limit = Field(2, description="processes that think for AI seats")
    ai_memory_mb: int = Field(
        512, ge=64, le=1 << 20, description="memory of each process that thinks"
    )
    strategies: dict[str, ProgramSetting] = Field(
        default_factory=dict,
        description="programs that may sit in AI seats: a table of the file for each,"
        " [strategies.NAME], or JSON",
    )
    ladder: Path | None = Field(
        None,
        description="file that `ttt-server ladder --standings` writes, shown at /ladder",
    )

    @property
    def command_limits(self) -> CommandLimits:
        """The limits of one connection's commands."""
        return CommandLimits(
            commands_per_s=self.commands_per_10s / 10, command_burst=self.command_burst
        )

    @property
    def address_limits(self) -> AddressLimits:
        """The limits of all connections from one address.

        A limit that is not set follows from the limits of one connection.
        """
        at_once = self.max_connections_per_address
        connects = self.connects_per_10s_per_address or max(10 * at_once, LEAST_CONNECTS)
        commands = self.commands_per_10s_per_address
        guesses = self.guesses_per_minute_per_address or 2 * self.command_burst
        return AddressLimits(
            connections=at_once,
            connects_per_s=connects / 10,
            connect_burst=connects,
            commands_per_s=(commands or 100 * self.commands_per_10s) / 10,
            command_burst=commands or 100 * self.command_burst,
            guesses_per_s=guesses / 60,
            guess_burst=guesses,
        )

    @property
    def connection_limits(self) -> "ConnectionLimits":
        """The limits of one connection's frames and of what waits for it."""
        from ttt_server.transport.context import ConnectionLimits  # noqa: PLC0415 - slow to import

        return ConnectionLimits(
            max_frame=self.max_frame,
            frames_per_s=self.commands_per_10s * FRAMES_PER_COMMAND / 10,
            frame_burst=self.command_burst * FRAMES_PER_COMMAND,
            outbox=self.outbox,
            send_timeout_s=self.send_timeout_s,
        )

    @property
    def room_limits(self) -> "RoomLimits":
        """The limits of rooms in memory, and their times."""
        from ttt_server.rooms.registry import RoomLimits  # noqa: PLC0415 - slow to import

        return RoomLimits(
            rooms=self.max_rooms,
            rooms_per_address=self.max_rooms_per_address,
            idle_s=self.room_idle_s,
            abandon_s=self.room_abandon_s,
        )

    @property
    def retention(self) -> "Retention":
        """What is kept of rooms and their games."""
        from ttt_server.storage.retention import Retention  # noqa: PLC0415 - slow to import

        kept = self.keep_games, self.forget_rooms_after, self.forget_events_after
        return Retention(*kept, self.forget_unplayed_after)

    @field_validator("*", mode="before")
    @classmethod
    def _require_no_truth_value(cls, value: Any, info: ValidationInfo) -> Any:
        # A file can hold one, and pydantic would read it as 1 or 0.
        if isinstance(value, bool) and info.field_name != "accept_loss":
            raise ValueError("cannot be true or false")
        return value

    @field_validator("strategies", mode="before")
    @classmethod
    def _read_strategies(cls, given: Any) -> Any:
        return json.loads(given) if isinstance(given, str) else given

    @field_validator("strategies")
    @classmethod
    def _require_free_names(cls, given: dict[str, ProgramSetting]) -> dict[str, ProgramSetting]:
        for name in given:
            if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", name):
                raise ValueError(f"{name!r} is no name of a strategy: a-z, 0-9, - and _")
            if name in OWN_NAMES:
                raise ValueError(f"{name!r} is a strategy of the server itself")
        return given

    @field_validator("data", "tls_cert", "tls_key", "ladder", mode="before")
    @classmethod
    def _require_path(cls, path: Any) -> Any:
        if path == "":
            raise ValueError("must not be empty")  # it would be the current folder
        return path

    @field_validator("store")
    @classmethod
    def _require_known_store(cls, store: str) -> str:
        if store in {"sqlite:", "memory:"} or store.startswith(("postgresql://", "postgres://")):
            return store
        raise ValueError("must be sqlite:, memory: or postgresql://USER@HOST/DATABASE")

    @field_validator("advertise")
    @classmethod
    def _require_address(cls, address: str | None) -> str | None:
        if address is not None and not re.fullmatch(
            r"wss?://([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}", address
        ):
            raise ValueError("must be like ws://10.0.0.2:8765")
        return address

    @field_validator(
        "allow_origin", "allow_frame_ancestor", "allow_host", "trusted_proxies", mode="before"
    )
    @classmethod
    def _split(cls, words: Any) -> Any:
        if not isinstance(words, str):
            return words
        return [word for part in words.split(",") if (word := part.strip())]

    @field_validator("allow_origin", "allow_frame_ancestor")
    @classmethod
    def _require_exact_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        # A browser sends an origin in this form, and it is compared letter by letter.
        if not all(re.fullmatch(r"https?://[a-z0-9.\[\]:-]+", origin) for origin in origins):
            raise ValueError("must be like https://example.org or http://example.org:8080")
        return origins

    @field_validator("public_url")
    @classmethod
    def _require_url(cls, url: str | None) -> str | None:
        form = r"https?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/-]*)?"
        if url is not None and not re.fullmatch(form, url):
            raise ValueError("must be like https://play.example.org/ttt/")
        return url

    @field_validator("allow_host")
    @classmethod
    def _require_names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(r"[a-z0-9._-]+", host) for host in hosts):
            raise ValueError("must be like rooms.example.org, without a port")
        return hosts

    @field_validator("trusted_proxies")
    @classmethod
    def _require_addresses(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        Proxies.parse(proxies)
        return proxies

    @model_validator(mode="after")
    def _require_whole_tls(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("--tls-cert and --tls-key go together")
        return self


def load(flags: dict[str, Any], file: str | Path | None) -> Config:
    """Read the options from `flags`, the environment and the TOML `file`, in this order.

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
    except ValidationError as error:
        detail = error.errors(include_input=False)[0]
        words = detail["msg"].removeprefix("Value error, ")
        if not detail["loc"]:
            raise InvalidConfig(words) from None
        field = str(detail["loc"][0])
        if field not in Config.model_fields:  # only a file can name an unknown option
            raise InvalidConfig(f"--config: {file}: {_unknown_option(field)}") from None
        raise InvalidConfig(f"{flag(field)}: {words}") from None


def flag(field: str) -> str:
    """Return the flag of a field: `--max-rooms` for `max_rooms`."""
    return "--" + field.replace("_", "-")


def _unknown_option(key: str) -> str:
    """Describe an unknown key of a file, with the option that it probably means."""
    meant = key.removeprefix("--").replace("-", "_")
    hint = f"; write {meant}" if meant in Config.model_fields else ""
    return f"there is no option {key!r}{hint}"


def _in_environment() -> dict[str, str]:
    variables = {field: ENV_PREFIX + field.upper() for field in Config.model_fields}
    return {field: os.environ[name] for field, name in variables.items() if name in os.environ}


def _in_file(file: str | Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    path = Path(file)
    if not path.is_file():
        raise InvalidConfig(f"--config: there is no file {str(file)!r}")
    import tomllib  # noqa: PLC0415 - most servers have no file

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InvalidConfig(f"--config: {file}: {error}") from None
