"""Write the manual pages of both programs from their parsers: `python -m tests.bench.man_pages`.

They are kept in `docs/man`, from where a wheel takes them to `share/man/man1`.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from ttt_client import __version__
from ttt_client.cli.command_line import make_parser
from ttt_server.cli.main import COMMANDS

FOLDER = Path(__file__).parents[2] / "docs" / "man"


class _Found(Exception):
    """The parser of a command that was run."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def _server_parser(path: str) -> argparse.ArgumentParser:
    """Return the parser that a command makes for its arguments."""

    module, _, function = path.rpartition(".")

    def found(parser: argparse.ArgumentParser, _file: object = None) -> None:
        raise _Found(parser)

    with patch.object(argparse.ArgumentParser, "print_help", found):
        try:
            getattr(import_module(f"ttt_server.cli.{module}"), function)(["--help"])
        except _Found as asked:
            return asked.parser
    raise AssertionError(path)


def pages() -> dict[str, str]:
    """Return the pages by the names of their files."""
    client = make_parser()
    server = {name: _server_parser(path) for name, (path, _) in COMMANDS.items()}
    return {
        "ttt-client.1": _page("ttt-client", client, _commands(client)),
        "ttt-server.1": _page("ttt-server", _server_parser("serve.run"), server),
    }


def _page(
    program: str,
    parser: argparse.ArgumentParser,
    commands: Mapping[str, argparse.ArgumentParser],
) -> str:
    about = (parser.description or "").strip().split("\n")[0].rstrip(".")
    common = {tuple(action.option_strings) for action in _shown(parser)}
    lines = [
        f'.TH {program.upper()} 1 "" "ttt-rooms {__version__}" "ttt-rooms"',
        ".SH NAME",
        f"{program} \\- {_text(about[:1].lower() + about[1:])}",
        ".SH SYNOPSIS",
        f".B {program}",
        "[options] [command [arguments]]",
        ".SH OPTIONS",
        *_arguments(_shown(parser)),
        ".SH COMMANDS",
    ]
    for name, command in commands.items():
        own = [one for one in _shown(command) if tuple(one.option_strings) not in common]
        places = " ".join(_named(one) for one in own if not one.option_strings)
        lines += [
            f'.SS "{_text(f"{name} {places}".strip())}"',
            _text(" ".join((command.description or "").split())),
        ]
        lines += [*_arguments(own), *_as_it_is(command.epilog)]
    lines += [".SH NOTES", *_as_it_is(parser.epilog)] if parser.epilog else []
    return "\n".join(filter(None, lines)) + "\n"


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return {
        name: command
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    }


def _shown(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)
    ]


def _named(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    value = action.metavar or (
        f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    )
    return f"[{value}]" if action.nargs in {"?", "*"} else str(value)


def _arguments(actions: Iterable[argparse.Action]) -> Iterator[str]:
    for action in actions:
        words = (action.help or "") % (vars(action) | {"prog": ""})
        names = f"{', '.join(action.option_strings)} {_named(action)}".strip()
        yield f".TP\n\\fB{_text(names)}\\fR\n{_text(words)}"


def _as_it_is(text: str | None) -> list[str]:
    return [".PP", ".nf", *map(_text, text.splitlines()), ".fi"] if text else []


def _text(text: str) -> str:
    """Return a text that means nothing to troff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", "\n.br\n")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
