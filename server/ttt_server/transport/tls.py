"""The certificate that the server shows."""

import ssl
from pathlib import Path

from ttt_server.config import Config, InvalidConfig


def tls_of(config: Config) -> ssl.SSLContext | None:
    """What connections are encrypted with; null if they are not.

    Raises:
        InvalidConfig: naming the option and its file.
    """
    cert, key = config.tls_cert, config.tls_key
    if cert is None or key is None:
        return None
    _require_file("--tls-cert", cert)
    _require_file("--tls-key", key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert, key, password="")  # nobody is there to be asked for one
    except OSError:  # which those of TLS are
        words = f"--tls-cert: {cert} is no certificate of the key {key}, or that has a passphrase"
        raise InvalidConfig(words) from None
    return context


def _require_file(option: str, path: Path) -> None:
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidConfig(f"{option}: {path}: {error.strerror}") from None
