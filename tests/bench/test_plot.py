import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tests.bench.plot import COLOURS, HEIGHT, WIDTH, plots, svg, ticks
from tests.bench.rows import Row

SVG = "{http://www.w3.org/2000/svg}"


def move(rooms: int, server: str, round_: int, cost: float) -> Row:
    return Row("play", {"rooms": rooms, "server": server}, round_, {"cpu_us_per_moves": cost})


ROWS = [
    *(move(50, "as <it> comes", 0, 20.0), move(500, "as <it> comes", 0, 30.0)),
    *(move(5000, "as <it> comes", 0, 40.0), move(5000, "as <it> comes", 1, 60.0)),
    *(move(50, "other", 0, 80.0), Row("play", {"rooms": 500, "server": "other"}, 0, {})),
]


@pytest.mark.parametrize("most", [0.03, 1, 7, 10, 45, 99.9, 100, 101, 639])
def test_ticks_are_few_and_round_and_reach_the_most(most: float) -> None:
    found = ticks(most)
    (step,) = {round(b - a, 9) for a, b in pairwise(found)}
    assert found[0] == 0
    assert found[-2] < most <= found[-1]
    assert 3 <= len(found) <= 7
    assert f"{step:e}"[0] in "125"


def test_a_plot_is_drawn_where_there_are_rows() -> None:
    assert set(plots(ROWS)) == {"cost-of-a-move.svg"}
    fan = Row("fan-out", {"spectators": 10}, 0, {"cpu_us_per_deliveries": 1.0})
    assert set(plots([fan])) == {"cost-of-a-delivery.svg"}
    assert plots([]) == {}


def test_a_line_goes_through_the_medians() -> None:
    (plot,) = plots(ROWS).values()
    assert plot.lines == {
        "as <it> comes": {50: (20, 20, 20), 500: (30, 30, 30), 5000: (50, 40, 60)},
        "other": {50: (80, 80, 80)},
    }


def test_the_picture_has_axes_units_names_and_a_background() -> None:
    (plot,) = plots(ROWS).values()
    picture = ET.fromstring(svg(plot))  # noqa: S314 - ours
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"µs of CPU a move", "rooms (logarithmic)", "50", "500", "5 000"} <= set(words)
    assert {"● as <it> comes", "● other", "0", "80"} <= set(words)
    background = picture.find(f"{SVG}rect")
    assert background is not None
    assert (background.get("width"), background.get("height")) == (str(WIDTH), str(HEIGHT))

    dots = [dot for dot in picture.iter(f"{SVG}circle") if dot.get("fill") == COLOURS[0]]
    across = [float(dot.get("cx", "")) for dot in dots]
    up = [float(dot.get("cy", "")) for dot in dots]
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.2)  # logarithmic
    assert up[0] - up[1] == pytest.approx((up[1] - up[2]) / 2, abs=0.2)  # linear
    for number in re.findall(r'(?:cx|x)="([\d.-]+)"', svg(plot)):
        assert 0 <= float(number) <= WIDTH


def test_one_size_is_a_plot_too() -> None:
    (plot,) = plots(ROWS[:1]).values()
    ET.fromstring(svg(plot))  # noqa: S314 - ours
