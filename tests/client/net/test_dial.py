import errno
import os
import ssl

import pytest

from ttt_client.net.dial import words_of


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
