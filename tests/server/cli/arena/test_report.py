import json
from dataclasses import replace
from pathlib import Path

import pytest

from ttt_engine import TIC_TAC_TOE
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.crosstable import CrossTable
from ttt_engine.arena.match import Forfeits, Match, Times
from ttt_engine.arena.ratings import Record
from ttt_engine.arena.sprt import Sprt
from ttt_server.cli.arena.report import as_object, as_text


def table(names: str, *matches: Match, games: int = 10) -> CrossTable:
    contestants = tuple(
        Contestant(name) if name.startswith("exec:") else Contestant.parse(name)
        for name in names.split()
    )
    return CrossTable(contestants, TIC_TAC_TOE, games, 7, matches)


TWO = table("rules minimax:5", Match(Record(3, 1, 1), Record(1, 2, 2)))
THREE = table(
    "random rules perfect",
    Match(Record(1, 1, 3), Record(0, 1, 4), Forfeits(2, 0, "OSError: no \x1b[31mbook")),
    Match(Record(0, 1, 4), Record(0, 0, 5), Forfeits(1, 1, "later")),
    Match(Record(0, 5, 0), Record(0, 4, 1)),
)


def test_a_match_is_told_from_both_sides() -> None:
    lines = as_text(TWO).splitlines()
    assert lines[0] == "3x3x3, 10 games a pair, sides changing after each, seed 7"
    rows = [line.split() for line in lines[2:9]]
    assert rows[0] == ["games", "wins", "draws", "losses", "score", "%"]
    assert rows[1][3:] == ["16.8-68.7", "3", "10.8-60.3", "3", "10.8-60.3", "55.0", "31.8-75.4"]
    counts = [[row[0], *row[-8:-1:2]] for row in rows[1:]]
    assert counts == [
        ["rules", "4", "3", "3", "55.0"],
        ["as", "3", "1", "1", "70.0"],
        ["as", "1", "2", "2", "40.0"],
        ["minimax:5", "3", "3", "4", "45.0"],
        ["as", "2", "2", "1", "60.0"],
        ["as", "1", "1", "3", "30.0"],
    ]
    assert "Elo of rules above minimax:5: +35, -133 to +195" in lines


@pytest.mark.parametrize(
    ("record", "gain"), [(Record(wins=1000), "+∞, "), (Record(losses=1000), "-∞, -∞ to -")]
)
def test_a_match_may_have_one_result(record: Record, gain: str) -> None:
    one_sided = table("perfect:3 random", Match(record), games=1000)
    assert f"Elo of perfect:3 above random: {gain}" in as_text(one_sided)


def test_a_cross_table() -> None:
    rows = [line.split() for line in as_text(THREE).splitlines()[2:6]]
    assert rows == [
        ["1", "2", "3", "score", "won/drawn/lost", "Elo"],
        ["1", "perfect", "·", "55±14", "95±17", "75.0±11.9", "50/50/0", "+129±117"],
        ["2", "rules", "45±14", "·", "80±20", "62.5±13.3", "35/55/10", "+66±111"],
        ["3", "random", "5±17", "20±20", "·", "12.5±13.1", "5/15/80", "-194±133"],
    ]


def test_results_do_not_run_into_each_other() -> None:
    won = Match(Record(wins=1), Record(wins=1))
    rows = [line.split() for line in as_text(table("a b c", won, won, won, games=2)).splitlines()]
    assert rows[3][2:5] == ["·", "100±33", "100±33"]


def test_a_forfeit_is_told_in_clean_words() -> None:
    assert as_text(THREE).splitlines()[-1] == (
        "random forfeited 3 of 20 games; the first: OSError: no book"
    )
    assert "forfeit" not in as_text(TWO)


def test_eight_fit_a_hundred_columns() -> None:
    names = "brute learner lines minimax:9 perfect random rules search:0"
    matches = [Match(Record(wins=500), Record(wins=500))] * 28
    text = as_text(table(names, *matches, games=1000))
    assert max(map(len, text.splitlines())) <= 100
    two_players = as_text(table("minimax:9 search:0", matches[0], games=1000))
    assert max(map(len, two_players.splitlines())) <= 100


def test_an_object_for_programs() -> None:
    told = json.loads(json.dumps(as_object(THREE), allow_nan=False))
    assert set(told) == {"rules", "seed", "games", "confidence", "standings", "matches", "opening"}
    assert (told["rules"], told["seed"], told["games"]) == ("3x3x3", 7, 10)
    assert told["confidence"] == 0.95
    assert [one["strategy"] for one in told["standings"]] == ["perfect", "rules", "random"]
    last = told["standings"][-1]
    assert (last["wins"], last["draws"], last["losses"]) == (1, 3, 16)
    assert (last["forfeits"], last["first_forfeit"]) == (3, "OSError: no book")
    assert last["elo_interval"][0] < last["elo"] < last["elo_interval"][1]
    assert told["standings"][0]["first_forfeit"] is None
    first = told["matches"][0]
    assert (first["first"], first["second"], first["games"]) == ("random", "rules", 10)
    assert first["as_x"] == {"wins": 1, "draws": 1, "losses": 3}
    assert first["as_o"] == {"wins": 0, "draws": 1, "losses": 4}
    assert first["losses_interval"] == [0.3968, 0.8922]
    assert first["score"] == 0.2
    assert first["score_interval"][0] < 0.2 < first["score_interval"][1]
    assert first["elo"] == -240.8


def test_what_is_endless_is_null() -> None:
    told = as_object(table("rules random", Match(Record(wins=10))))["matches"][0]
    assert told["elo"] is None
    assert told["elo_interval"][1] is None
    assert told["elo_interval"][0] > 0


def test_the_page_names_every_key() -> None:
    page = (Path(__file__).parents[4] / "docs/strategies.md").read_text(encoding="utf-8")
    told = as_object(THREE)
    for key in {**told, **told["matches"][0], **told["standings"][0]}:
        if key.removesuffix("_interval") not in {"wins", "draws", "losses", "score"}:
            assert f"`{key}`" in page


TIMED = table(
    "exec:./mybot rules",
    Match(Record(3, 1, 1), Record(1, 2, 2), Forfeits(1, 3, "crashed: signal SIGSEGV"))._replace(
        first_times=Times(40, 0.5, 0.25)
    ),
)


def test_the_times_and_forfeits_of_a_program_are_told() -> None:
    lines = as_text(TIMED).splitlines()
    assert "exec:./mybot took 12.50 ms a move, at most 250.0 ms" in lines
    assert lines[-1].endswith("the first: crashed: signal SIGSEGV")
    (program,) = (one for one in as_object(TIMED)["standings"] if "ms_per_move" in one)
    assert (program["ms_per_move"], program["longest_ms"]) == (12.5, 250.0)


@pytest.mark.parametrize(
    ("record", "words", "accepted"),
    [
        (Record(400, 300, 300), "rules is stronger than random by 20 Elo or more (log", True),
        (Record(300, 300, 400), "rules is not stronger than random by more than 0 Elo", False),
        (Record(3, 3, 3), "undecided (log-likelihood ratio -0.0", None),
    ],
)
def test_a_test_tells_its_verdict(record: Record, words: str, accepted: bool | None) -> None:
    match, sprt = table("rules random", Match(record), games=1000), Sprt(0, 20)
    (line,) = (line for line in as_text(match, sprt).splitlines() if line.startswith("SPRT"))
    assert line.startswith(f"SPRT 0, 20: {words}")
    assert line.endswith(" of ±2.94)")
    told = as_object(match, sprt)["sprt"]
    assert (told["accepted"], told["bound"]) == (accepted, 2.9444)


def test_openings_are_told() -> None:
    opened = replace(TWO, opening=3)
    assert "after 3 random moves" in as_text(opened)


def test_a_fair_opening_is_told() -> None:
    title, *_ = as_text(replace(TWO, opening="swap2")).splitlines()
    assert title == "3x3x3, 10 games a pair, sides changing after each, opened by swap2, seed 7"
    assert as_object(replace(TWO, opening="swap2"))["opening"] == "swap2"
