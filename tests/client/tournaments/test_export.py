"""The results of an event as CSV and as a cross table."""

from tests.client.text.test_standings import event, game, standing
from ttt_client.cli.event import _cross, _csv
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result


def test_a_name_is_no_formula_and_a_negative_rating_is_a_number() -> None:
    row = standing('=HYPERLINK("x")', elo=-12.5, elo_error=80.0)
    head, line = _csv(event(standings=(row,)))
    cells = dict(zip(head.split(","), line.split(","), strict=True))
    assert cells["name"] == '"\'=HYPERLINK(""x"")"'
    assert (cells["elo"], cells["points"]) == ("-12.5", "1.5")


def test_csv_says_why_an_event_ended_early_and_whose_results_do_not_count() -> None:
    rows = standing("ada"), standing("bob", left_out=True)
    head, first, second = _csv(event(standings=rows, ended_early=EarlyEnd.WITHDREW))
    assert head.endswith(",elo,elo_error,left_out,ended_early")
    assert first.endswith(",,,False,withdrew")
    assert second.endswith(",,,True,withdrew")


def test_a_cross_table_marks_results_that_do_not_count_and_says_why_it_is_over() -> None:
    rows = standing("a", rank=1), standing("b", rank=2, left_out=True, points=0)
    played = game(result=Result.X, ids=(SessionId("a"), SessionId("b")))
    state = event(
        Form.ROUND_ROBIN, standings=rows, games=(played,), ended_early=EarlyEnd.NO_PAIRING
    )
    assert list(_cross(state)) == [
        "   player                1  2  points",
        "1  a                     *  1     1.5",
        "2  b (results left out)  0  *       0",
        "ended early: no pairing without a repetition",
    ]
