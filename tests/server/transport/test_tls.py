import subprocess
from pathlib import Path

import pytest

from tests.integration.tools import found
from ttt_server.config import Config, InvalidConfig
from ttt_server.transport.tls import tls_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate, its key, the same with a passphrase, and the key of another."""
    folder = tmp_path_factory.mktemp("tls")
    openssl = found("openssl")
    for name in ("cert", "other"):
        files = ("-keyout", f"{name}.key", "-out", f"{name}.pem")
        command = (openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here")
        subprocess.run((*command, *files), cwd=folder, check=True, capture_output=True)
    locked = ("-aes256", "-passout", "pass:swordfish", "-out", "secret.key")
    lock = (openssl, "rsa", "-in", "cert.key", *locked)
    subprocess.run(lock, cwd=folder, check=True, capture_output=True)
    return folder


def config(folder: Path, cert: str, key: str) -> Config:
    return Config(tls_cert=folder / cert, tls_key=folder / key)


def test_without_files_there_is_none() -> None:
    assert tls_of(Config()) is None


def test_a_certificate_and_its_key(folder: Path) -> None:
    assert tls_of(config(folder, "cert.pem", "cert.key")) is not None


@pytest.mark.parametrize(
    ("cert", "key", "named"),
    [
        ("none.pem", "cert.key", "--tls-cert: .*none.pem: No such file"),
        ("cert.pem", "none.key", "--tls-key: .*none.key: No such file"),
        ("cert.pem", "other.key", "--tls-cert: .*cert.pem is no certificate of the key .*other"),
        ("cert.key", "cert.key", "--tls-cert: .*cert.key is no certificate"),
        ("cert.pem", "secret.key", "--tls-cert: .* has a passphrase"),
        (".", "cert.key", "--tls-cert: .*directory"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, cert: str, key: str, named: str) -> None:
    with pytest.raises(InvalidConfig, match=named):
        tls_of(config(folder, cert, key))
