from io import BytesIO

from PIL import Image, ImageColor

from ttt_client.pictures.diagram import Block, Diagram, Ring, Stroke, Words
from ttt_client.pictures.gif import END_MS, MOVE_MS, gif

RED, BLUE = "#ff0000", "#0000ff"


def colours(picture: Image.Image) -> set[tuple[int, ...]]:
    found = picture.convert("RGB").getcolors()
    assert found is not None
    return {colour for _, colour in found if isinstance(colour, tuple)}


def test_each_diagram_is_a_frame() -> None:
    first = Diagram(80, 40, (Block(10, 10, 20, RED), Words(60, 20, "ada", 12, "#000000")))
    second = Diagram(80, 40, (Stroke(5, 5, 75, 35, BLUE, 6), Ring(40, 20, 10, RED, 4)))
    with Image.open(BytesIO(gif([first, second]))) as made:
        assert (made.size, getattr(made, "n_frames", 1)) == ((80, 40), 2)
        assert made.info["duration"] == MOVE_MS
        assert ImageColor.getrgb(RED) in colours(made)
        made.seek(1)
        assert made.info["duration"] == END_MS
        assert {ImageColor.getrgb(RED), ImageColor.getrgb(BLUE)} <= colours(made)
