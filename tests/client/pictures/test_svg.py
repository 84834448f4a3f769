from xml.etree import ElementTree as ET

from ttt_client.pictures.diagram import Block, Diagram, Ring, Stroke, Words, svg

SHAPES = (
    Block(1, 2, 3, "#111111"),
    Stroke(1, 2, 3.5, 4, "#222222", 5),
    Ring(1, 2, 3, "#333333", 4),
    Words(10, 20, "<ada> & bob", 10, "#444444"),
)


def test_every_shape_is_an_element_in_its_order() -> None:
    root = ET.fromstring(svg(Diagram(100, 50, SHAPES), "<about>"))  # noqa: S314 - our own
    assert root.get("viewBox") == "0 0 100 50"
    kinds = [child.tag.rpartition("}")[2] for child in root]
    assert kinds == ["title", "rect", "rect", "line", "circle", "text"]
    assert root[0].text == "<about>"
    assert root[-1].text == "<ada> & bob"
    assert (root[3].get("x2"), root[4].get("r"), root[5].get("y")) == ("3.5", "3", "23.5")
