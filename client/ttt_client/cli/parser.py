"""A parser of arguments that says what is wrong in one line, and what was probably meant."""

import argparse
import os
import re
import sys
from difflib import get_close_matches

THEMES = ("auto", "dark", "light")
_LONGEST_NUMBER = 18
"""The most digits of a number."""


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line. Its help option comes with the common ones."""

    def __init__(self, **options: object) -> None:
        super().__init__(add_help=False, **options)  # type: ignore[arg-type]  # argparse's own

    def flag(self, name: str, words: str) -> None:
        """Add an option without a value; `words` are its help."""
        self.add_argument(name, action="store_true", help=words)

    def option(self, spec: str, words: str, *, names: str | None = None, **more: object) -> None:
        """Add an argument or option with a value: `--clock M+S`; `words` are its help.

        A shell completes it with names of the kind `names`.
        """
        name, _, metavar = spec.partition(" ")
        if metavar:
            more["metavar"] = metavar
        if names is not None:
            more |= {"action": StoreName, "names": names}
        self.add_argument(name, help=words, **more)  # type: ignore[arg-type]  # argparse's own

    def usual(self, *names: str) -> None:
        """Add options that several commands have."""
        for name in names:
            spec, words, more = _USUAL[name]
            self.option(spec, words, **more)  # type: ignore[arg-type]  # names is among them

    def explain(self, epilog: str) -> None:
        """End the help with these lines, as they are."""
        self.epilog = epilog
        self.formatter_class = argparse.RawDescriptionHelpFormatter

    def _get_formatter(self) -> argparse.HelpFormatter:
        # With a width given, argparse does not import `shutil`; it makes a formatter per option.
        return self.formatter_class(self.prog, width=help_width())  # type: ignore[call-arg]

    def _print_message(self, message: str, file: object = None) -> None:
        if message and file is not None and file is sys.stdout:
            print_now(message.removesuffix("\n"))
        else:
            super()._print_message(message, file)  # type: ignore[arg-type]  # argparse's own

    # `NoReturn` would be exact, but to import `typing` takes 2.4 of the 18 ms of --help.
    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, f"{self.prog}: error: {_plain(self, message)}; see --help\n")


def whole_number(text: str, least: int, most: int, words: str) -> int:
    """Parse a whole number.

    Raises:
        ValueError: with `words`, if it is not a number from `least` to `most`.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    if not is_number or not least <= int(text) <= most:
        raise ValueError(words)
    return int(text)


def print_now(text: str) -> None:
    """Print to standard output; where that fails, end the program with a line of error."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the interpreter, which flushes the rest
        if isinstance(error, BrokenPipeError):
            sys.exit(0)  # the reader has gone, which is no error
        sys.exit(f"ttt-client: standard output: {error.strerror}")


def _plain(parser: argparse.ArgumentParser, message: str) -> str:
    """Return the message in plain words, with the command or option that was probably meant."""
    if found := re.match(r"unrecognized arguments: (--[\w-]+)", message):
        known = [*_options(parser)]
    elif found := re.match(r"argument COMMAND: invalid choice: ('[^']*')", message):
        known, message = [*_commands(parser)], f"there is no command {found[1]}"
    elif found := re.match(r"(.*): invalid choice: '[^']*' \(choose from (.*)\)", message):
        choices = found[2].replace("'", "")
        return f"{found[1]}: must be one of {choices}"
    else:
        return message
    similar = get_close_matches(found[1].strip("'"), known, n=1)
    return f"{message}; did you mean {similar[0]}?" if similar else message


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands, by their names."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of them
        if isinstance(action.choices, dict):
            found |= action.choices
    return found


def _options(parser: argparse.ArgumentParser) -> set[str]:
    """Return every option that the help names, those of the commands too."""
    actions = parser._option_string_actions.items()  # noqa: SLF001 - the same
    options = {name for name, action in actions if action.help != argparse.SUPPRESS}
    return options.union(*map(_options, _commands(parser).values()))


def help_width() -> int:
    """Return the width of the lines of help."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return max(columns - 2, 20)


class StoreName(argparse.Action):
    """Store the argument; a shell completes it with names of the kind `names`.

    These are `rooms`, `ais`, `boards`, `files` or `rooms_and_files`.
    """

    def __init__(self, *, names: str, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # argparse's own
        self._names = names

    def __call__(
        self, _parser: object, namespace: argparse.Namespace, value: object, *_: object
    ) -> None:
        setattr(namespace, self.dest, value)

    @property
    def complete(self) -> object:
        """How each shell asks for the names, in the form of `shtab`.

        `shtab`'s own `cmd` would make zsh ask only once.
        """
        # In bash, `shtab` has names quoted where the name of the function has `_files` in it.
        function = f"_ttt_client_{self._names}"
        kind = self._names.removesuffix("_and_files")
        call = f"ttt-client --print-names {kind} 2>/dev/null"
        last = '"${1##*,}"'  # of several: rules,minimax:9
        bash = f'compgen -P "${{1%{last}}}" -W "$({call})" -- {last}'
        names = (bash, f"compset -P '*,'; compadd -- ${{(f)\"$({call})\"}}", call)
        files = ('compgen -f -- "$1"', "_files", "__fish_complete_path (commandline -ct)")
        asked = {"files": (files,), "rooms_and_files": (files, names)}.get(self._names, (names,))
        bash, zsh, fish = ("; ".join(one) for one in zip(*asked, strict=True))
        # A colon, as in minimax:9, would begin another word in bash.
        return {
            "bash": function,
            "zsh": function,
            "fish": f"({fish})",
            "preamble": {
                "bash": f"COMP_WORDBREAKS=${{COMP_WORDBREAKS//:}}\n{function}() {{ {bash}; }}",
                "zsh": f"{function}() {{ {zsh} }}",
            },
        }


_USUAL: dict[str, tuple[str, str, dict[str, object]]] = {
    "rules": (
        "--rules CxRxK[g][!]",
        "the board: 3x3x3; with gravity 7x6x4g; 15x15x5! where a longer row does not win",
        {"names": "boards"},
    ),
    "clock": ("--clock M+S", "minutes, and seconds a move: 5+3", {}),
    "days": ("--days N", "days for each move in a new room, in place of a clock: 1 to 14", {}),
    "opening": (
        "--opening",
        "a fair beginning: one player places the first stones, the other takes a side",
        {"choices": ["pie", "swap2"]},
    ),
    "seat": ("--seat", "the seat you want", {"type": str.upper, "choices": ["X", "O"]}),
    "vs": ("--vs STRENGTH|AI", "seat an AI opposite: fair, or minimax:9", {"names": "ais"}),
    "password": ("--password P", "the password of the room", {}),
    "games": ("--games N", "the number of games", {}),
    "position": (
        "position POSITION",
        "a letter for each cell, X...O....; or moves, b2a1; or columns, 4453 (default: empty)",
        {"nargs": "?", "default": ""},
    ),
}
"""Options of several commands: name and metavar, help, and what else `option` takes."""
