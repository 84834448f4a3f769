import pytest

from ttt_client.tui.app import LIGHT_STYLE, STYLE, is_light


@pytest.mark.parametrize(
    ("reply", "light"),
    [
        ("11;rgb:ffff/ffff/ffff", True),
        ("11;rgb:fdfd/f6f6/e3e3", True),  # Solarized light
        ("11;rgb:0000/2b2b/3636", False),  # Solarized dark
        ("11;rgba:00/00/00/ff", False),
        ("11;rgb:F/F/F", True),
        ("11;?", None),
        ("10;rgb:ffff/ffff/ffff", None),
        ("11;rgb:red", None),
    ],
)
def test_a_reply_tells_the_background(reply: str, light: bool | None) -> None:
    assert is_light(reply) is light


@pytest.mark.parametrize("style", [STYLE, LIGHT_STYLE])
def test_nothing_is_bright_black(style: object) -> None:
    assert isinstance(style, type(STYLE))
    assert not [rule for _, rule in style.style_rules if "black" in rule]
