"""Names that look alike are one name."""

import pytest

from ttt_server.people.names import may_be_kept, names_like, skeleton


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("Ann", "ANN", True),
        ("Ann", "A n n", True),
        ("Ann", "Ann ", True),
        ("Ann", "Anna", False),
        ("scope", "\u0455\u0441\u043e\u0440\u0435", True),
        ("Bob", "B0b", True),
        ("paypal", "paypa1", True),
        ("modern", "rnodern", True),
        ("MODERN", "rnodern", True),
        ("Iris", "lris", True),
        ("iris", "\u2170ris", True),
        ("Ann", "\ua4eenn", True),
        ("paypal", "\u0440\u0430\u0443\u0440\u0430\u04cf", True),
        ("Zo\u00eb", "zoe", True),
        ("O'Neil", "O\u2019Neil", True),
        ("\u0410\u0434\u0430", "A\u0434a", True),
        ("\u674e", "\u738b", False),
    ],
)
def test_what_looks_alike(one: str, other: str, are_alike: bool) -> None:
    assert (skeleton(one) == skeleton(other)) is are_alike


def test_what_all_are_called_is_kept_by_nobody() -> None:
    assert may_be_kept("Ann")
    assert not may_be_kept("GUEST")
    assert not may_be_kept("some body")
    assert not may_be_kept("\u00a0\u0301"), "nothing is left of it"


def test_names_like_one_are_all_different_and_come_to_an_end() -> None:
    names = list(names_like("ada@example.org"))
    assert names[:3] == ["ada", "ada 2", "ada 3"]
    assert len({skeleton(name) for name in names}) == len(names) == 999
    assert max(map(len, names_like("x" * 99))) == 24
    assert next(names_like("guest")) == "player"
