import pytest

from ttt_server.cli.top.figures import NoMetrics, Scrape, Timing, figures

TEXT = """\
# TYPE ttt_build_info gauge
ttt_build_info{version="0.1.0"} 1
# TYPE ttt_store_healthy gauge
ttt_store_healthy 1
# TYPE ttt_connections gauge
ttt_connections 7
# TYPE ttt_rooms gauge
ttt_rooms{status="waiting"} 2
ttt_rooms{status="playing"} 1
# TYPE ttt_moves_total counter
ttt_moves_total 100
# TYPE ttt_refusals_total counter
ttt_refusals_total{code="cell_taken"} 5
ttt_refusals_total{code="game_over"} 1
# TYPE ttt_commit_seconds histogram
ttt_commit_seconds_bucket{le="0.001"} 0
ttt_commit_seconds_bucket{le="0.01"} 10
ttt_commit_seconds_bucket{le="+Inf"} 10
ttt_commit_seconds_count 10
ttt_commit_seconds_sum 0.05
"""


def read(text: str = TEXT, at: float = 10.0, **changes: str) -> Scrape:
    for before, after in changes.items():
        text = text.replace(before, after)
    return Scrape.parse(text, at)


def changed(*changes: tuple[str, str], at: float = 12.0) -> Scrape:
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return Scrape.parse(text, at)


def test_what_is_now() -> None:
    found = figures(read(), read(at=12.0))
    assert (found.version, found.healthy, found.seconds) == ("0.1.0", True, 2)
    assert found.rooms == {"waiting": 2, "playing": 1}
    assert found.gauges["connections"] == 7
    assert (found.totals["moves"], found.rates["moves"]) == (100, 0)
    assert (found.refusals, found.refusals_total, found.ai_failures) == ({}, 6, 0)
    assert found.times["commit"] == Timing(0, None, None)


def test_what_happened_between_two_readings() -> None:
    now = changed(
        ("ttt_moves_total 100", "ttt_moves_total 130"),
        ('code="game_over"} 1', 'code="game_over"} 5'),
        ("ttt_store_healthy 1", "ttt_store_healthy 0"),
    )
    found = figures(read(), now)
    assert found.rates["moves"] == 15
    assert found.refusals == {"game_over": 2}
    assert not found.healthy


def test_times_are_those_between_the_readings() -> None:
    now = changed(('"0.01"} 10', '"0.01"} 110'), ('"+Inf"} 10', '"+Inf"} 110'))
    commit = figures(read(), now).times["commit"]
    assert commit.count == 100
    assert commit.p50 == pytest.approx(0.0055)
    assert commit.p99 == pytest.approx(0.00991)


def test_the_last_bucket_has_no_end() -> None:
    now = changed(('"+Inf"} 10', '"+Inf"} 20'))
    assert figures(read(), now).times["commit"] == Timing(10, 0.01, 0.01)


def test_a_server_that_was_restarted_counts_from_its_start() -> None:
    assert figures(read(), changed(("total 100", "total 20"))).rates["moves"] == 10


def test_an_older_server_has_fewer_metrics() -> None:
    found = figures(read("ttt_store_healthy 1\n"), read("ttt_store_healthy 1\n"))
    assert (found.version, found.rooms, found.refusals_total) == ("?", {}, 0)
    assert found.gauges["connections"] is found.rates["moves"] is None
    assert found.times["commit"] == Timing(0, None, None)


@pytest.mark.parametrize("text", ["", "<html>", "other_metric 1\n", "a{"])
def test_what_is_no_text_of_this_server(text: str) -> None:
    with pytest.raises(NoMetrics):
        read(text)
