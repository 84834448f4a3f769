"""The arguments of the command line, checked and turned into the protocol's terms.

The user's settings file, with name, server and theme, comes below options and variables.
"""

import getpass
import os
import re
import shlex
import tomllib
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ttt_client import DEFAULT_SERVER
from ttt_client.cli.parser import THEMES, whole_number
from ttt_client.model import options
from ttt_client.model.options import InvalidOption
from ttt_client.model.study import COLUMNS_BOARD, is_columns, parse_depth, parse_position
from ttt_client.net.address import ServerAddress, parse_event, parse_room, parse_server
from ttt_client.net.tokens import TABLE, default_file
from ttt_protocol.codes import Opening
from ttt_protocol.notation import MOST_IN_FILES
from ttt_protocol.state import MAX_DELAY_S, Rules, parse_room_name

_EXAMPLE = 'this is not TOML; a setting is like name = "ada"'
_KEYS = {"name", "server", "theme"}


CHECK = "check"
"""The word in the place of a bot's ROOM that tries the program without a server."""

T = TypeVar("T")


class WrongUsage(ValueError):
    """An invalid argument; the message is for people."""


class InvalidSettings(WrongUsage):
    """An unusable file; the message is for people."""


def read_settings(file: Path) -> dict[str, str]:
    """Return the settings in `file`; none if there is no such file.

    Raises:
        InvalidSettings: if the file is not understood.
    """
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidSettings(f"{file}: {error.strerror}") from None
    try:
        found = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidSettings(f"{file}, line {line}: this is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line ([0-9]+)", str(error))
        line = int(at[1]) if at else max(1, len(content.splitlines()))  # else at the end
        raise InvalidSettings(f"{file}, line {line}: {_EXAMPLE}") from None
    persons = found.pop(TABLE, {})
    if not isinstance(persons, dict):
        raise InvalidSettings(f"{file}: {TABLE} is a table, which ttt-client me writes")
    for key, value in found.items():
        if key not in _KEYS:
            known = ", ".join(sorted(_KEYS))
            raise InvalidSettings(f"{file}: {key} is not a setting; there are {known}")
        if not isinstance(value, str):
            raise InvalidSettings(f"{file}: {key} is a string")
    if found.get("theme", "auto") not in THEMES:
        raise InvalidSettings(f"{file}: a theme is one of {', '.join(THEMES)}")
    return found


def complete(arguments: Namespace) -> Namespace:
    """Return the arguments checked, in the protocol's terms, with the defaults filled in.

    Raises:
        WrongUsage: if an argument is invalid.
    """
    _check_together(arguments)
    given = dict(vars(arguments))
    if given.get("url") is not None:
        given["server"] = given["url"]
    if given["command"] == "replay":
        given |= _pictures(given)
    checked = _values(given) | _places(given)
    if (linked := checked.pop("linked")) is not None and given.get("server") is None:
        given["server"] = linked.url
    settings = read_settings(default_file())
    if given["command"] == "bot":
        checked |= {"hints": False, "rated": False, "delay": None, "start": None}
        settings["name"] = settings.get("name") or bot_name(checked["exec"])
    for option, convert in (("server", _server), ("name", _name), ("theme", _theme)):
        value = given.get(option)
        checked[option] = _from_option_or_variable(option, convert, value, settings.get(option))
    if given["both"] and given.get("second") is None:
        checked["second"] = f"{checked['name'][:22]} 2"
    return Namespace(**given | checked | _secrets(given))


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are values of the protocol, those on a board after the board."""
    table = dict(_CONVERTED)
    if given["command"] == "bot" and given["room"] == CHECK:
        table["rules"] = "--rules", partial(options.parse_rules, most=MOST_IN_FILES)
    checked = {
        option: converted(f"argument {shown}", convert, given[option])
        for option, (shown, convert) in table.items()
        if given.get(option) is not None
    }
    if "rules" not in checked and is_columns(given.get("position") or ""):
        checked["rules"] = COLUMNS_BOARD
    rules = checked.get("rules", Rules())
    for option, parse in _CONVERTED_ON_BOARD.items():
        if given.get(option) is not None:
            on_board: Callable[[Any], Any] = partial(parse, rules=rules)
            shown = "POSITION" if option == "position" else f"--{option}"
            checked[option] = converted(f"argument {shown}", on_board, given[option])
    return checked


def _places(given: dict[str, Any]) -> dict[str, Any]:
    """Return the room, file or event, and `linked`: the server, if it is named by its address."""
    if given["command"] == "replay" and _is_file(given["room"]):
        if given["analysis"]:
            raise WrongUsage("--analysis: the server of a room analyses, and no file")
        return {"room": Path(given["room"]), "linked": None}
    places: dict[str, Any] = {"linked": None}
    for option, parse in (("room", parse_room), ("event", parse_event)):
        if given.get(option) is not None:
            place, linked = converted(f"argument {option.upper()}", parse, given[option])
            places |= {option: place, "linked": linked or places["linked"]}
    return places


def _secrets(given: dict[str, Any]) -> dict[str, str | None]:
    """Return the token, the password to enter with, and the one that a new room gets."""
    token, variable = os.environ.get("TTT_TOKEN") or None, os.environ.get("TTT_PASSWORD") or None
    typed = given.get("password")
    for shown, value in (("--password", typed), ("TTT_PASSWORD", variable)):
        if value is not None and not 1 <= len(value) <= 128:
            raise WrongUsage(f"{shown}: a password has 1 to 128 characters")
    if token is not None and len(token) > 256:
        raise WrongUsage("TTT_TOKEN: a token has at most 256 characters")
    entering = variable if typed is None else typed
    return {"token": token, "password": entering, "new_password": typed}


def server_of(typed: str | None) -> ServerAddress:
    """Return the server that was typed, or else that of the environment or the settings' file.

    Raises:
        WrongUsage: if it is not the address of a server.
    """
    in_file = read_settings(default_file()).get("server")
    return _from_option_or_variable("server", _server, typed, in_file)


def _is_file(text: str) -> bool:
    """Whether a replay is of a file: `games.txt`, `./games` or `-`, which no room is called."""
    return text == "-" or ("://" not in text and ("." in text or os.sep in text))


def _pictures(given: dict[str, Any]) -> dict[str, list[Path]]:
    """Return `pictures`: the files to draw the game into."""
    files = []
    for kind in ("svg", "gif"):
        if (file := given.get(kind)) is not None:
            if not file.lower().endswith(f".{kind}"):
                raise WrongUsage(f"--{kind}: the name of the file ends with .{kind}")
            files.append(Path(file))
    for option in ("analysis", "json"):
        if files and given[option]:
            raise WrongUsage(f"--{option} draws no pictures")
    return {"pictures": files}


def _from_option_or_variable(
    option: str, convert: Callable[[str | None], T], given: str | None, in_file: str | None
) -> T:
    if given is not None:
        return converted(f"--{option}", convert, given)
    variable = f"TTT_{option.upper()}"
    if (value := os.environ.get(variable) or None) is not None:
        return converted(variable, convert, value)
    return converted(f"{option} in {default_file()}", convert, in_file)


def _check_together(arguments: Namespace) -> None:
    """Check what concerns more than one option."""
    given = {name for name, value in vars(arguments).items() if value not in (None, False)}
    if arguments.command == "event":
        given.discard("days")  # its settings tell what they exclude
    for pair in _EXCLUDING:
        if given.issuperset(pair):
            raise WrongUsage("--{} and --{} exclude each other".format(*pair))
    if arguments.command == "join" and "second" in given and not arguments.both:
        raise WrongUsage("--second needs --both")
    if arguments.command == "bot":
        places = (arguments.room, arguments.lobby, arguments.event)
        if sum(place is not None for place in places) != 1:
            raise WrongUsage("say where to play: ROOM, --lobby or --event; or try it: check")
        if arguments.parallel != "1" and arguments.room in {None, CHECK}:
            raise WrongUsage("--parallel needs a ROOM")
    if arguments.command == "watch":
        if arguments.play is not None and arguments.room is None:
            raise WrongUsage("--play needs a ROOM")
        for option in ("games", "rules", "opening"):
            if option in given and arguments.play is None:
                raise WrongUsage(f"--{option} needs --play")


_EXCLUDING = (("plain", "json"), ("moves", "json"), ("days", "clock"), ("both", "vs"))


def converted(shown: str, convert: Callable[[Any], T], given: Any) -> T:
    """Return what `convert` makes of an argument.

    Raises:
        WrongUsage: with the name that is shown, for a `ValueError`.
    """
    try:
        return convert(given)
    except ValueError as error:
        raise WrongUsage(f"{shown}: {error}") from None


def _server(text: str | None) -> ServerAddress:
    return parse_server(DEFAULT_SERVER if text is None else text)


def _name(text: str | None) -> str:
    return login_name() if text is None else options.parse_name(text)


def _theme(text: str | None) -> str:
    if text is not None and text not in THEMES:
        raise ValueError(f"a theme is one of {', '.join(THEMES)}")
    return text or "auto"


_INTERPRETERS = ("python", "node", "java", "sh", "bash", "ruby", "perl")


def bot_name(command: Sequence[str]) -> str:
    """Return a program's name as that of a player: of a script the script's own."""
    words = [os.path.basename(word) for word in command]  # noqa: PTH119 - quick to import
    is_script = words[0].startswith(_INTERPRETERS) and not "".join(words[1:2]).startswith("-")
    try:
        return options.parse_name(words[: 1 + is_script][-1][:24])
    except InvalidOption:
        return "bot"


def login_name() -> str:
    """Return the user's name on this machine, or `guest` where it cannot be a player's name."""
    try:
        return options.parse_name(getpass.getuser())
    except (InvalidOption, OSError, KeyError, ImportError):
        return "guest"


def parse_time_ms(text: str) -> int:
    """Parse a time for a move, as `2s`, `500ms` or `1.5`, in seconds without a unit.

    Raises:
        ValueError: if it is not one; the message is for people.
    """
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s|)", text)
    unit = 1 if found is not None and found[2] == "ms" else 1000
    milliseconds = 0 if found is None else round(float(found[1]) * unit)
    if not 10 <= milliseconds <= 3_600_000:
        raise ValueError("a time is 10ms to 3600s, as 2s or 500ms")
    return milliseconds


def parse_tolerance_ms(text: str) -> int:
    """Parse the tolerance, as a time for a move, or 0.

    Raises:
        ValueError: if it is not one; the message is for people.
    """
    return 0 if text in {"0", "0s", "0ms"} else parse_time_ms(text)


def parse_command(text: str) -> list[str]:
    """Parse a program and its arguments, as a shell would.

    Raises:
        ValueError: if it is not one; the message is for people.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        raise ValueError("a quotation mark is not closed, or a \\ is at the end") from None
    if not words:
        raise ValueError("name a program")
    return words


def _between(least: int, most: int, words: str) -> Callable[[str], int]:
    """Return a converter to a number within bounds; `words` tell them."""
    return partial(whole_number, least=least, most=most, words=words.format(least, most))


_ROOMS = _between(1, 64, "a bot plays in {} to {} rooms at once")

_CONVERTED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "second": ("--second", options.parse_name),
    "rules": ("--rules", options.parse_rules),
    "clock": ("--clock", options.parse_clock),
    "games": ("--games", _between(1, 1000, "a series has {} to {} games")),
    "game": ("GAME", _between(1, 999_999_999, "a game is a number from {} to {}")),
    "days": ("--days", _between(1, 14, "{} to {} days")),
    "delay": ("--delay", _between(0, MAX_DELAY_S, "{} to {} seconds")),
    "opening": ("--opening", Opening),
    "exec": ("--exec", parse_command),
    "time": ("--time", parse_time_ms),
    "tolerance": ("--tolerance", parse_tolerance_ms),
    "lobby": ("--lobby", _ROOMS),
    "after": ("--after", parse_room_name),
    "parallel": ("--parallel", _ROOMS),
    "depth": ("--depth", parse_depth),
}
"""The options that are converted: the name in an error message, and the function."""

_CONVERTED_ON_BOARD: dict[str, Callable[..., Any]] = {
    "vs": options.parse_ai,
    "play": options.parse_pair,
    "strategy": options.parse_ai,
    "start": options.parse_start,
    "position": parse_position,
}
"""The options whose meaning depends on the board: the functions take it as `rules`."""
