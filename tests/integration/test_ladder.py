"""`ttt-server ladder`, as a program."""

import json
from pathlib import Path

from tests.integration.programs import run_server

BOTS = Path(__file__).parents[2] / "client/examples/bots"


async def test_a_ladder_goes_on_where_it_was_and_places_new_ones_first(tmp_path: Path) -> None:
    programs, games = tmp_path / "programs", tmp_path / "games.jsonl"
    programs.write_text(f"random\nrules # strong\nexec:sh {BOTS}/first.sh\n")
    command = "ladder", "--programs", str(programs), "--save", str(games), "--json"
    status, out, err = await run_server(*command, "-n", "40")
    assert (status, err) == (0, "")
    standings = json.loads(out)["standings"]
    assert standings[0]["name"] == "rules"
    assert sum(one["wins"] + one["draws"] + one["losses"] for one in standings) == 80

    programs.write_text(programs.read_text() + "exec:yes\n")
    picture = tmp_path / "ladder.svg"
    status, out, _ = await run_server(*command, "-n", "20", "--plot", str(picture))
    standings = json.loads(out)["standings"]
    (new,) = (one for one in standings if one["name"] == "exec:yes")
    assert new["losses"] == new["forfeits"] == 20
    assert sum(one["wins"] + one["draws"] + one["losses"] for one in standings) == 120
    assert picture.read_text().startswith("<svg ")
    assert len(games.read_text().splitlines()) == 61


async def test_what_cannot_be_played_is_one_line(tmp_path: Path) -> None:
    programs, games = tmp_path / "programs", tmp_path / "games.jsonl"
    programs.write_text("rules\n")
    command = "ladder", "--programs", str(programs), "--save", str(games)
    for text, words in (
        ("rules\n", "names fewer than two"),
        ("rules\nzap\n", "no strategy 'zap'"),
        ("rules\nexec:./nothing-there\n", "./nothing-there is not there"),
    ):
        programs.write_text(text)
        status, out, err = await run_server(*command)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert words in err
