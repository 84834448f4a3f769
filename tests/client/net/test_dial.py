import errno
import os
import ssl

import pytest

from ttt_client.net.dial import refusal, words_of


def verification() -> OSError:
    error = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] failed")
    error.verify_message = "self-signed\x07 certificate"
    return error


def secure(reason: str) -> OSError:
    error = ssl.SSLError(1, f"[SSL: {reason}] failed")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "odd"), os.strerror(errno.ECONNREFUSED)),
        (OSError("Multiple exceptions"), "Multiple exceptions"),
        (verification(), "TLS: self-signed certificate"),
        (
            secure("WRONG_VERSION_NUMBER"),
            "what answers there does not speak TLS: the address may be ws://",
        ),
        (secure("UNEXPECTED_MESSAGE"), "TLS: unexpected message"),
        (secure(""), "TLS: failed"),
    ],
)
def test_an_error_is_told_without_numbers_and_addresses(error: OSError, words: str) -> None:
    assert words_of(error) == words


def test_a_page_in_the_place_of_a_socket_is_told_with_the_place_of_sockets() -> None:
    page = "a web page is there, and no socket: those are at /ws/lobby and /ws/rooms/NAME"
    assert refusal(200, "").words == f"{page} (HTTP 200)"
    assert refusal(500, "").words == "no game server answers there (HTTP 500)"
