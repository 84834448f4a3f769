"""Diagrams as a moving picture, with Pillow, which the extra `images` installs."""

from collections.abc import Sequence
from io import BytesIO
from typing import assert_never

from PIL import Image, ImageDraw, ImageFont

from ttt_client.pictures.diagram import PAPER, Block, Diagram, Ring, Stroke, Words

_SHARP = 2
"""Frames are drawn larger by this factor and scaled down, which smooths their edges."""

MOVE_MS, END_MS = 900, 4000
"""The time of a position, and of the last."""


def gif(diagrams: Sequence[Diagram]) -> bytes:
    """Return a looping picture of the diagrams, which all have the same size."""
    frames = [_frame(diagram) for diagram in diagrams]
    made = BytesIO()
    times = [MOVE_MS] * (len(frames) - 1) + [END_MS]
    frames[0].save(made, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return made.getvalue()


def _frame(diagram: Diagram) -> Image.Image:
    size = diagram.width, diagram.height
    frame = Image.new("RGB", (size[0] * _SHARP, size[1] * _SHARP), PAPER)
    pen = ImageDraw.Draw(frame)
    for shape in diagram.shapes:
        match shape:
            case Stroke(x1, y1, x2, y2, colour, width):
                ends = [value * _SHARP for value in (x1, y1, x2, y2)]
                pen.line(ends, colour, round(width * _SHARP))
            case Ring(x, y, radius, colour, width):
                reach = radius + width / 2
                box = [value * _SHARP for value in (x - reach, y - reach, x + reach, y + reach)]
                pen.ellipse(box, outline=colour, width=round(width * _SHARP))
            case Block(x, y, side, colour):
                box = [value * _SHARP for value in (x, y, x + side, y + side)]
                pen.rectangle(box, colour)
            case Words(x, y, text, size_, colour):
                font = ImageFont.load_default(size_ * _SHARP)
                pen.text((x * _SHARP, y * _SHARP), text, colour, font, anchor="mm")
            case _:
                assert_never(shape)
    smooth = frame.resize(size, Image.Resampling.LANCZOS)
    return smooth.quantize(64, dither=Image.Dither.NONE)
