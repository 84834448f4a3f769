import pytest

from ttt_client.tui.draw.canvas import Canvas, Size, clip, shown, width, wrap


def text(canvas: Canvas) -> str:
    return canvas.picture().text


@pytest.mark.parametrize(
    ("given", "columns", "clipped"),
    [
        ("hello", 5, "hello"),
        ("hello", 4, "hel…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301a", 2, "e\u0301a"),
        ("x", 0, ""),
        ("", 0, ""),
        ("xy", -3, ""),
    ],
)
def test_clipped_by_the_columns_it_takes(given: str, columns: int, clipped: str) -> None:
    assert clip(given, columns) == clipped
    assert width(clipped) <= max(0, columns)


def test_the_mark_of_a_cut_can_be_ascii() -> None:
    assert clip("hello", 4, ascii_only=True) == "hel~"


@pytest.mark.parametrize(
    ("given", "columns", "lines"),
    [
        ("a bc def", 4, ["a bc", "def"]),
        ("abcdefgh i", 3, ["abc", "def", "gh", "i"]),
        ("日本語 x", 4, ["日本", "語 x"]),
        ("", 4, []),
        ("日", 1, ["日"]),
        ("a abcd", 3, ["a", "abc", "d"]),
    ],
)
def test_wrapped_at_spaces_where_there_are_some(given: str, columns: int, lines: list[str]) -> None:
    assert wrap(given, columns) == lines


def test_what_terminals_disagree_about_is_left_out() -> None:
    assert shown("\x1b[2Ja\u202eb\u2764\ufe0f\U0001f44d\U0001f3fd") == "ab\u2764\U0001f44d"


def test_nothing_is_drawn_outside() -> None:
    canvas = Canvas(Size(4, 2))
    canvas.put(2, 0, "日本")
    canvas.put(-2, 1, "abc")
    canvas.put(0, 2, "below")
    canvas.put(0, -1, "above")
    canvas.tint(-5, -5, 50, 50, "class:x")
    assert text(canvas) == "  日\n"
    assert canvas.picture().lines[0] == [("class:x", "  日")]


def test_half_a_wide_character_is_none() -> None:
    canvas = Canvas(Size(6, 1))
    canvas.put(0, 0, "日本語")
    canvas.put(1, 0, "x")
    canvas.put(4, 0, "y")
    assert text(canvas) == " x本y"


def test_marks_stand_on_the_character_before_them() -> None:
    canvas = Canvas(Size(4, 1))
    canvas.put(0, 0, "\u0301e\u0301日\u0301")
    assert text(canvas) == "e\u0301日\u0301"
    plain = Canvas(Size(4, 1), ascii_only=True)
    plain.put(0, 0, "e\u0301日")
    assert text(plain) == "e??"


def test_what_lies_on_top_is_clicked() -> None:
    canvas = Canvas(Size(9, 1))
    canvas.target(0, 0, 9, 1, "row")
    assert canvas.put(1, 0, "quit", "class:key") == 5
    canvas.target(1, 0, 4, 1, "q")
    keys = [canvas.picture().key_at(x, 0) for x in range(10)]
    assert keys == ["row", "q", "q", "q", "q", "row", "row", "row", "row", None]
