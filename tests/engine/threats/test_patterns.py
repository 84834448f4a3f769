import re
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from ttt_engine.threats.patterns import Patterns


class Chances(NamedTuple):
    """What a track comes to, as sets of its cells."""

    ends: int
    doubles: int
    fours: int
    threes: int


def pattern(track: str, in_a_row: int = 5, *, exact: bool = False) -> Chances:
    """The patterns of X on a track drawn with letters, side by side."""
    patterns = Patterns(in_a_row, exact=exact)
    found = [0] * 4
    for stretch in re.finditer("[^O]+", track):
        own = sum(1 << index for index, mark in enumerate(stretch[0]) if mark == "X")
        for kind, cells in enumerate(patterns.of(len(stretch[0]), own)[:4]):
            found[kind] |= cells << stretch.start()
    return Chances(*found)


def drawn(bits: int, length: int) -> str:
    return "".join("x" if bits >> index & 1 else "." for index in range(length))


def test_ends() -> None:
    assert drawn(pattern("..XXXX...").ends, 9) == ".x....x.."
    assert drawn(pattern(".OXXXX...").ends, 9) == "......x.."
    assert drawn(pattern(".OXXXXO..").ends, 9) == "........."


def test_fours_and_doubles() -> None:
    assert drawn(pattern("...XXX...").fours, 9) == ".xx...xx."
    assert drawn(pattern("...XXX...").doubles, 9) == "..x...x.."
    assert drawn(pattern("..OXXX...").fours, 9) == "......xx."
    assert drawn(pattern("..OXXX...").doubles, 9) == "........."


def test_a_mark_between_can_leave_two_ends() -> None:
    assert drawn(pattern(".XX...XX.").doubles, 9) == "........."
    assert drawn(pattern("X.XX.X...").doubles, 9) == "....x...."
    assert drawn(pattern("X.X.X.X..").doubles, 9) == "...x....."


def test_threes() -> None:
    assert drawn(pattern("....XX...").threes, 9) == "..xx..xx."
    assert drawn(pattern("...OXX...").threes, 9) == "........."


def test_where_a_longer_row_does_not_win() -> None:
    assert drawn(pattern(".XXXX.X..").ends, 9) == "x....x..."
    assert drawn(pattern(".XXXX.X..", exact=True).ends, 9) == "x........"


@given(st.text(".XO", min_size=5, max_size=15), st.booleans())
def test_what_a_pattern_promises(track: str, exact: bool) -> None:
    def ends(track: str) -> set[int]:
        found = set()
        for index, mark in enumerate(track):
            if mark == ".":
                after = track[:index] + "X" + track[index + 1 :]
                runs = after.replace("O", ".").split(".")
                if any(len(run) == 5 if exact else len(run) >= 5 for run in runs):
                    found.add(index)
        return found

    if any(len(run) >= 5 for run in track.replace("O", ".").split(".")):
        return
    found = pattern(track, exact=exact)
    assert drawn(found.ends, len(track)) == drawn(sum(1 << i for i in ends(track)), len(track))
    for index, mark in enumerate(track):
        after = track[:index] + "X" + track[index + 1 :]
        if mark == "." and index not in ends(track):
            if not found.ends:
                assert (found.doubles >> index & 1) == (len(ends(after)) > 1)
            if found.fours >> index & 1:
                assert ends(after)
            if found.threes >> index & 1:
                assert pattern(after, exact=exact).doubles
