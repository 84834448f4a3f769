from gzip import decompress
from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.transport.responses import (
    LASTING,
    Document,
    HttpError,
    document_response,
    error_response,
    policy,
)

PAGE = Document.of(b"<!doctype html>", "text/html; charset=utf-8")
SCRIPT = Document(b"a();" * 200, "text/javascript", '"tag"', policy=None, is_packed=True)


def ask(document: Document, method: str = "GET", **headers: str) -> Response:
    given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return document_response(document, Request("/", given, method))


def test_a_document_as_it_is_sent() -> None:
    response = ask(PAGE)
    assert (response.status_code, response.body) == (200, PAGE.body)
    headers = response.headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == str(len(PAGE.body))
    assert "Connection" not in headers, "another request may follow"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["ETag"] == PAGE.tag


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    policy = ask(PAGE).headers["Content-Security-Policy"]
    sources = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert sources["default-src"] == "'none'"
    assert sources["script-src"] == sources["style-src"] == sources["connect-src"] == "'self'"
    assert "unsafe" not in policy


def test_a_head_has_the_same_headers_and_no_body() -> None:
    head, get = ask(PAGE, "HEAD"), ask(PAGE)
    assert head.body == b""
    assert list(head.headers.raw_items()) == list(get.headers.raw_items())


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_a_cached_document_is_not_sent_again(form: str) -> None:
    response = ask(PAGE, If_None_Match=form.format(PAGE.tag))
    assert (response.status_code, response.body) == (304, b"")
    assert response.headers["ETag"] == PAGE.tag
    assert "Content-Length" not in response.headers


@pytest.mark.parametrize("form", ["", '"other"', "W/"])
def test_an_outdated_document_is_sent_again(form: str) -> None:
    assert ask(PAGE, If_None_Match=form).status_code == 200


def test_the_tag_is_of_the_content() -> None:
    assert Document.of(b"1").tag == Document.of(b"1").tag != Document.of(b"2").tag
    assert Document.of(b"1").kind == "application/json"


def test_the_words_of_an_error() -> None:
    response = error_response(HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"))
    assert (response.status_code, response.body) == (404, b"there is nothing here\n")
    assert response.headers["Content-Length"] == str(len(response.body))
    assert "Retry-After" not in response.headers


def test_a_failed_head_has_no_body() -> None:
    response = error_response(
        HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"), is_head=True
    )
    assert (response.body, response.headers["Content-Length"]) == (b"", "22")


def test_errors_have_further_headers() -> None:
    full = error_response(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full"))
    assert full.headers["Retry-After"] == "5"
    only = error_response(HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD"))
    assert only.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "accepted",
    [
        "gzip",
        "gzip, deflate, br, zstd",
        "br, GZIP;q=0.5",
        "*",
        "br,*;q=0.1",
        "identity, gzip ; q=1",
    ],
)
def test_a_client_that_accepts_gzip_gets_it(accepted: str) -> None:
    response = ask(SCRIPT, Accept_Encoding=accepted)
    assert decompress(response.body) == SCRIPT.body
    headers = response.headers
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Content-Length"] == str(len(response.body))
    assert int(headers["Content-Length"]) < len(SCRIPT.body) / 4
    assert headers["Vary"] == "Accept-Encoding"
    assert headers["ETag"] == '"tag-gzip"'


@pytest.mark.parametrize(
    "accepted", [None, "", "br", "identity", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzipped"]
)
def test_other_clients_get_plain_text(accepted: str | None) -> None:
    response = ask(SCRIPT) if accepted is None else ask(SCRIPT, Accept_Encoding=accepted)
    assert response.body == SCRIPT.body
    assert "Content-Encoding" not in response.headers
    assert response.headers["Vary"] == "Accept-Encoding"
    assert response.headers["ETag"] == '"tag"'


def test_each_encoding_has_its_own_tag() -> None:
    packed = {"If_None_Match": '"tag-gzip"', "Accept_Encoding": "gzip"}
    assert ask(SCRIPT, **packed).status_code == 304
    assert ask(SCRIPT, **packed).headers["Vary"] == "Accept-Encoding"
    assert ask(SCRIPT, If_None_Match='"tag-gzip"').status_code == 200
    assert ask(SCRIPT, If_None_Match='"tag"', Accept_Encoding="gzip").status_code == 200


def test_a_head_of_what_is_packed_has_the_headers_of_the_get() -> None:
    head = ask(SCRIPT, "HEAD", Accept_Encoding="gzip")
    get = ask(SCRIPT, Accept_Encoding="gzip")
    assert head.body == b""
    assert list(head.headers.raw_items()) == list(get.headers.raw_items())


def test_changing_answers_are_not_compressed() -> None:
    response = ask(PAGE, Accept_Encoding="gzip")
    assert response.body == PAGE.body
    assert "Vary" not in response.headers


def test_a_script_needs_no_policy_of_documents() -> None:
    headers = ask(SCRIPT).headers
    assert "Content-Security-Policy" not in headers
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_frames_of_named_origins_may_be_allowed() -> None:
    assert "frame-ancestors 'none';" in policy()
    assert "frame-ancestors https://a.example https://b.example;" in policy(
        ["https://a.example", "https://b.example"]
    )


def test_lasting_files_have_few_headers() -> None:
    response = ask(SCRIPT._replace(caching=LASTING), Accept_Encoding="gzip")
    assert response.headers["Cache-Control"] == "max-age=31536000, immutable"
    assert "ETag" not in response.headers
    assert len(response.headers) == 6


def test_a_401_names_its_scheme_and_a_429_when_to_retry() -> None:
    wrong = error_response(HttpError(HTTPStatus.UNAUTHORIZED, "this token owns no seat here"))
    assert wrong.headers["WWW-Authenticate"] == "Bearer"
    many = error_response(HttpError(HTTPStatus.TOO_MANY_REQUESTS, "slow down"))
    assert many.headers["Retry-After"] == "5"


def test_a_document_for_one_client_is_never_cached() -> None:
    document = Document.once(b"{}\n", "application/x-ndjson")
    response = ask(document, If_None_Match="*")
    assert (response.status_code, response.body) == (200, b"{}\n")
    assert response.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in response.headers
