"""Pictures of a recorded game, as files to share."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ttt_client.model.view import View, name_of
from ttt_client.net.session import Ending
from ttt_client.pictures.diagram import Diagram, diagram, svg
from ttt_client.play.recordings import Recordings
from ttt_client.play.replay import Recording, ReplayStep
from ttt_client.text import render
from ttt_protocol.state import Mark
from ttt_protocol.text import clean


class NoImages(Exception):
    """The library that draws moving pictures is not installed."""

    def __init__(self) -> None:
        super().__init__("a GIF needs the extra images: pip install 'ttt-rooms[images]'")


async def write_pictures(recordings: Recordings, game: int | None, files: Sequence[Path]) -> Ending:
    """Draw a game, or the last, into each of the files: `.svg` its end, `.gif` all of it."""
    loaded = await recordings.load(game)
    if isinstance(loaded, Ending):
        return loaded
    try:
        for file in files:
            await asyncio.to_thread(_write, loaded, file)
    except NoImages as error:
        return Ending(1, str(error))
    except OSError as error:
        return Ending(1, f"{error.filename}: {error.strerror}")
    return Ending(0, f"written: {', '.join(map(str, files))}")


def _write(recording: Recording, file: Path) -> None:
    if file.suffix.lower() == ".svg":
        file.write_text(svg_of(recording), encoding="utf-8")
    else:
        file.write_bytes(gif_of(recording))


def svg_of(recording: Recording) -> str:
    """Return the last position, with the number of each move, as SVG."""
    last = recording.steps[-1]
    return svg(_diagram(recording, last, numbered=True), f"{_title(last)}: {_caption(last)}")


def gif_of(recording: Recording) -> bytes:
    """Return the game move by move as GIF.

    Raises:
        NoImages: if the library for it is not installed.
    """
    try:
        from ttt_client.pictures.gif import gif
    except ImportError:
        raise NoImages from None
    shown: list[ReplayStep] = []
    for step in recording.steps:
        if not shown or _position(step) != _position(shown[-1]):
            shown.append(step)
    return gif([_diagram(recording, step, numbered=False) for step in shown])


def _position(step: ReplayStep) -> object:
    game = step.room.game
    return None if game is None else (game.moves, game.outcome)


def _diagram(recording: Recording, step: ReplayStep, *, numbered: bool) -> Diagram:
    game = step.room.game
    if game is None:  # pragma: no cover - each step of a recording has its game
        raise AssertionError(step)
    rules = recording.record.rules
    return diagram(rules, game, _title(step), _caption(step), numbered=numbered)


def _title(step: ReplayStep) -> str:
    return " - ".join(f"{name_of(step.room, mark)} ({mark})" for mark in Mark)


def _caption(step: ReplayStep) -> str:
    room, view = step.room, View(room=step.room)
    game = room.game
    said = (
        render.turn(view)
        if game is None or game.outcome is None
        else render.outcome(view, game.outcome, room.settings.rules)
    )
    number = "" if game is None else f", game {game.number}"
    return f"{clean(room.name)}{number}: {said}"
