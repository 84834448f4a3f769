from ttt_server.telemetry.histogram import Histogram


def test_each_is_counted_in_all_buckets_that_it_stays_within() -> None:
    histogram = Histogram((0.5, 1))
    assert histogram.buckets == [("0.5", 0), ("1", 0), ("+Inf", 0)]
    for seconds in (0, 0.5, 0.75, 1, 7):
        histogram.observe(seconds)
    assert histogram.buckets == [("0.5", 2), ("1", 4), ("+Inf", 5)]
    assert histogram.sum == 9.25
