import pytest

from ttt_server.people.notices.push_services import is_known


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/abc:def",
        "https://fcm.googleapis.com/wp/abc",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        "https://updates-autopush.stage.push.services.mozilla.com/wpush/v2/gAAA",
        "https://web.push.apple.com/QGuQ",
        "https://wns2-par02p.notify.windows.com/w/?token=BQY",
        "https://fcm.googleapis.com:443/wp/abc",
    ],
)
def test_the_services_of_browsers_are_known(endpoint: str) -> None:
    assert is_known(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/wp/abc",
        "https://fcm.googleapis.com:8443/wp/abc",
        "https://fcm.googleapis.com.evil.example/wp/abc",
        "https://evil.example/https://fcm.googleapis.com/",
        "https://evil.example#fcm.googleapis.com",
        "https://fcm.googleapis.com@evil.example/",
        "https://user@fcm.googleapis.com/",
        "https://notify.windows.com.evil.example/",
        "https://xnotify.windows.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::1/",
        "https://localhost:99999999/",
        "https:///wp/abc",
        "fcm.googleapis.com/wp/abc",
        "https://fcm.googleapis.com/wp/a b",
        "https://fcm.googleapis.com/wp/a\r\nX: y",
        "https://\uff46cm.googleapis.com/wp/abc",
        "",
    ],
)
def test_nothing_else_is(endpoint: str) -> None:
    assert not is_known(endpoint)


def test_an_operator_may_have_others() -> None:
    own = ["http://127.0.0.1:9000", "https://push.example.org"]
    assert is_known("http://127.0.0.1:9000/a", own)
    assert is_known("https://push.example.org/a", own)
    assert not is_known("http://push.example.org/a", own)
    assert not is_known("http://127.0.0.1:9001/a", own)
