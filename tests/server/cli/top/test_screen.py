from dataclasses import asdict, replace

import pytest

from tests.server.cli.top.test_figures import changed, read
from ttt_server.cli.top.figures import Figures, Timing, figures, lines

SERVER = "http://127.0.0.1:8765"
WELL = """\
ttt-server 0.1.0  http://127.0.0.1:8765  healthy

  rooms                    3  2 waiting, 1 playing
  connections              7  -/s new
  spectators               -
  moves                  1/s  102 so far
  refusals               0/s  6 so far
  slow peers cut         -/s  - so far
  AI forfeits              0  so far

  time                   p50         p99    number
  to disk                  -           -         0
  a move                   -           -         0
  an AI's move             -           -         0
  loop lag                 -           -         0

  memory                   -  -, - files open"""


@pytest.fixture
def found() -> Figures:
    return figures(read(), changed(("ttt_moves_total 100", "ttt_moves_total 102")))


def test_all_is_well(found: Figures) -> None:
    assert "\n".join(lines(found, SERVER, colours=False)) == WELL
    assert "\x1b[31m" not in "".join(lines(found, SERVER, colours=True))


def test_how_long_things_are_kept(found: Figures) -> None:
    kept = {"games": None, "unplayed": 86_400.0, "rooms": 7_776_000.0, "people": 43_200.0}
    *_, last = lines(replace(found, kept=kept), SERVER, colours=False)
    assert last.split(maxsplit=1) == ["kept", "games all, unplayed 1d, rooms 90d, people 0.5d"]
    *_, last = lines(replace(found, kept={"games": 1000.0}), SERVER, colours=False)
    assert last.endswith("games 1000")


def test_what_is_not_well_is_red(found: Figures) -> None:
    ill = replace(
        found,
        healthy=False,
        refusals={"rate_limited": 2.5, "game_over": 20},
        rates=found.rates | {"slow_peers_cut": 0.5, "cpu_s": 0.25},
        gauges=found.gauges | {"memory_bytes": 52e6, "open_files": 20},
        times=found.times | {"move": Timing(9, 0.0005, 0.2), "loop_lag": Timing(5, 0.01, 2.0)},
    )
    shown = "\n".join(lines(ill, SERVER, colours=False))
    for words in (
        "the store fails",
        "22/s  game_over 20/s, rate_limited 2.5/s",
        "500 us    200.0 ms         9",
        "10.0 ms      2.00 s         5",
        "52 MB  25 % of a processor, 20 files open",
    ):
        assert words in shown
    red = [line for line in lines(ill, SERVER, colours=True) if "\x1b[31m" in line]
    assert len(red) == 4
    assert all(line.endswith("\x1b[0m") for line in red)


def test_the_same_as_an_object(found: Figures) -> None:
    shown = asdict(found)
    assert shown["rates"]["moves"] == 1
    assert shown["times"]["commit"] == {"count": 0, "p50": None, "p99": None}
