from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.transport.responses import (
    Document,
    HttpError,
    document_response,
    error_response,
)

PAGE = Document.of(b"<!doctype html>", "text/html; charset=utf-8")


def ask(document: Document, method: str = "GET", **headers: str) -> Response:
    given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return document_response(document, Request("/", given, method))


def test_a_document_as_it_is_sent() -> None:
    response = ask(PAGE)
    assert (response.status_code, response.body) == (200, PAGE.body)
    headers = response.headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == str(len(PAGE.body))
    assert headers["Connection"] == "close"
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
def test_who_has_it_is_not_sent_it_again(form: str) -> None:
    response = ask(PAGE, If_None_Match=form.format(PAGE.tag))
    assert (response.status_code, response.body) == (304, b"")
    assert response.headers["ETag"] == PAGE.tag
    assert "Content-Length" not in response.headers


@pytest.mark.parametrize("form", ["", '"other"', "W/"])
def test_who_has_another_one_is_sent_it(form: str) -> None:
    assert ask(PAGE, If_None_Match=form).status_code == 200


def test_the_tag_is_of_the_content() -> None:
    assert Document.of(b"1").tag == Document.of(b"1").tag != Document.of(b"2").tag
    assert Document.of(b"1").kind == "application/json"


def test_the_words_of_an_error() -> None:
    response = error_response(HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"))
    assert (response.status_code, response.body) == (404, b"there is nothing here\n")
    assert response.headers["Content-Length"] == str(len(response.body))
    assert "Retry-After" not in response.headers


def test_a_head_that_fails_has_no_words() -> None:
    response = error_response(
        HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"), is_head=True
    )
    assert (response.body, response.headers["Content-Length"]) == (b"", "22")


def test_what_else_an_error_tells() -> None:
    full = error_response(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full"))
    assert full.headers["Retry-After"] == "5"
    only = error_response(HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD"))
    assert only.headers["Allow"] == "GET, HEAD"
