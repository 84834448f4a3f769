"""What a browser keeps of a sign-in."""

from urllib.parse import parse_qs, urlsplit

import pytest

from ttt_server.people.openid.attempt import Attempt, BadAttempt

SECRET, NOW = b"s" * 32, 1_800_000_000
ATTEMPT = Attempt("state", "nonce", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", NOW + 600)


def test_the_question_hides_the_verifier() -> None:
    url = ATTEMPT.question("https://id.example.org/a?b=c", "ttt", "https://p.example.org/cb")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert asked["b"] == "c"
    assert asked["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "RFC 7636, B"
    assert ATTEMPT.verifier not in url
    assert (asked["state"], asked["nonce"]) == ("state", "nonce")


def test_a_cookie_comes_back() -> None:
    cookie = ATTEMPT.sealed(SECRET)
    assert Attempt.unsealed(cookie, SECRET, "state", NOW + 599) == ATTEMPT


@pytest.mark.parametrize(
    ("change", "state", "now", "words"),
    [
        (lambda _: "", "state", NOW, "not begun in this browser"),
        (lambda cookie: cookie[:-1], "state", NOW, "not begun in this browser"),
        (lambda cookie: f"e30{cookie[3:]}", "state", NOW, "not begun in this browser"),
        (lambda _: ATTEMPT.sealed(b"t" * 32), "state", NOW, "not begun in this browser"),
        (lambda _: "x" * 9999, "state", NOW, "not begun in this browser"),
        (lambda cookie: cookie, "other", NOW, "belongs to another"),
        (lambda cookie: cookie, "state", NOW + 600, "took too long"),
    ],
)
def test_a_cookie_that_is_not_this_sign_in(
    change: object, state: str, now: int, words: str
) -> None:
    assert callable(change)
    with pytest.raises(BadAttempt, match=words):
        Attempt.unsealed(change(ATTEMPT.sealed(SECRET)), SECRET, state, now)
