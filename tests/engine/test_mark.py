from ttt_engine import Mark


def test_other() -> None:
    assert Mark.X.other is Mark.O
    assert Mark.O.other is Mark.X


def test_a_mark_is_its_letter() -> None:
    assert [str(mark) for mark in Mark] == ["X", "O"]
    assert Mark("X") is Mark.X
