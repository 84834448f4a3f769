"""The metrics of several processes as those of one server."""

from prometheus_client.parser import text_string_to_metric_families

from ttt_server.processes.totals import add_up

ONE = b"""# HELP ttt_build_info The server.
# TYPE ttt_build_info gauge
ttt_build_info{version="1"} 1.0
# HELP ttt_moves_total Moves on disk.
# TYPE ttt_moves_total counter
ttt_moves_total 5.0
# HELP ttt_ai_failures_total Moves.
# TYPE ttt_ai_failures_total counter
# HELP ttt_store_healthy Whether the store works.
# TYPE ttt_store_healthy gauge
ttt_store_healthy 1.0
"""
OTHER = (
    ONE.replace(b"total 5.0", b"total 7.0")
    .replace(b"healthy 1.0", b"healthy 0.0")
    .replace(b"# HELP ttt_store", b'ttt_ai_failures_total{strategy="a b"} 2.0\n# HELP ttt_store')
)


def test_each_is_added_up() -> None:
    text = add_up([ONE, OTHER]).decode()
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found == {
        ("ttt_build_info", "1"): 1,
        ("ttt_moves_total",): 12,
        ("ttt_ai_failures_total", "a b"): 2,
        ("ttt_store_healthy",): 0,
    }
    lines = text.splitlines()
    at = lines.index("# TYPE ttt_ai_failures_total counter")
    assert lines[at + 1].startswith("ttt_ai_failures_total{"), "a metric's lines stand together"


def test_one_is_as_it_was() -> None:
    assert add_up([ONE]) == ONE
