"""A diagram as SVG. Pure."""

from typing import assert_never
from xml.sax.saxutils import escape

from ttt_client.pictures.diagram import PAPER, Block, Diagram, Ring, Shape, Stroke, Words

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def svg(diagram: Diagram, about: str) -> str:
    """Return the document. `about` describes the picture for screen readers."""
    size = f'width="{diagram.width}" height="{diagram.height}"'
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
                f' viewBox="0 0 {diagram.width} {diagram.height}" font-family="{_FONT}"'
                ' text-anchor="middle" stroke-linecap="round" fill="none">'
            ),
            f"<title>{escape(about)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            *map(_element, diagram.shapes),
            "</svg>",
            "",
        ]
    )


def _element(shape: Shape) -> str:
    match shape:
        case Stroke(x1, y1, x2, y2, colour, width):
            ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
            return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>'
        case Ring(x, y, radius, colour, width):
            where = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
            return f'<circle {where} stroke="{colour}" stroke-width="{width:g}"/>'
        case Block(x, y, side, colour):
            where = f'x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}"'
            return f'<rect {where} fill="{colour}"/>'
        case Words(x, y, text, size, colour):
            where = f'x="{x:g}" y="{y + size * 0.35:g}" font-size="{size:g}"'
            return f'<text {where} fill="{colour}">{escape(text)}</text>'
        case _:  # pragma: no cover - the union is closed
            assert_never(shape)
