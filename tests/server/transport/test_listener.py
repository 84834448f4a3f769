import asyncio
import resource
import socket
import subprocess
from pathlib import Path

import pytest

from tests.integration.tools import found
from ttt_server.transport import listener
from ttt_server.transport.listener import (
    CannotListen,
    address_for_others,
    connections_within_file_limit,
    listen,
    require_host,
    tls_context,
    warn_of_clear_text,
)


async def test_a_port_that_is_taken_is_named_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(OSError, match=rf"^127\.0\.0\.1:{port}: Address already in use$"):
            await listen(
                asyncio.Protocol,
                "127.0.0.1",
                port,
                handshake_timeout_s=1,
                shutdown_timeout_s=1,
            )


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


def test_no_certificate_means_no_tls() -> None:
    assert tls_context(None, None) is None


def test_a_certificate_and_its_key(folder: Path) -> None:
    assert tls_context(folder / "cert.pem", folder / "cert.key") is not None


@pytest.mark.parametrize(
    ("cert", "key", "parameter", "words"),
    [
        ("none.pem", "cert.key", "tls_cert", ".*none.pem: No such file"),
        ("cert.pem", "none.key", "tls_key", ".*none.key: No such file"),
        (
            "cert.pem",
            "other.key",
            "tls_cert",
            ".*not a certificate for the key .*other",
        ),
        ("cert.key", "cert.key", "tls_cert", ".*cert.key is not a certificate"),
        ("cert.pem", "secret.key", "tls_cert", ".* has a passphrase"),
        (".", "cert.key", "tls_cert", ".*directory"),
    ],
)
def test_an_unusable_file_is_named(
    folder: Path, cert: str, key: str, parameter: str, words: str
) -> None:
    with pytest.raises(CannotListen, match=words) as caught:
        tls_context(folder / cert, folder / key)
    assert caught.value.parameter == parameter


def test_a_host_that_can_be_listened_on() -> None:
    require_host("127.0.0.1", 0)


@pytest.mark.parametrize("host", ["256.1.1.1", "a" * 64 + ".example"])
def test_a_host_that_cannot_be_listened_on(host: str) -> None:
    with pytest.raises(CannotListen, match=host[:9]) as caught:
        require_host(host, 0)
    assert caught.value.parameter == "host"


Limits = tuple[int, int]


class System:
    """A system with these limits."""

    def __init__(self, soft: int, hard: int) -> None:
        self.limits = (soft, hard)

    def getrlimit(self, _: int) -> Limits:
        return self.limits

    def setrlimit(self, _: int, limits: Limits) -> None:
        assert limits[0] <= limits[1] or limits[1] == resource.RLIM_INFINITY
        self.limits = limits


@pytest.fixture
def of(monkeypatch: pytest.MonkeyPatch) -> type[System]:
    class Patched(System):
        def __init__(self, soft: int, hard: int) -> None:
            super().__init__(soft, hard)
            monkeypatch.setattr(resource, "getrlimit", self.getrlimit)
            monkeypatch.setattr(resource, "setrlimit", self.setrlimit)

    return Patched


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "after"),
    [
        (20_000, 20_000, 10_000, 20_000),
        (1024, 20_000, 10_000, 10_064),
        (1024, resource.RLIM_INFINITY, 10_000, 10_064),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 10_000, resource.RLIM_INFINITY),
        (1024, 4096, 4032, 4096),
        (1024, 4096, 4096 - 64, 4096),
        (1024, 1024, 960, 1024),
        (64, 64, 32, 64),
    ],
)
def test_connections_are_limited_by_open_files(
    of: type[System], soft: int, hard: int, connections: int, after: int
) -> None:
    system = of(soft, hard)
    assert connections_within_file_limit(10_000) == connections
    assert system.limits == (after, hard)


def test_few_connections_need_no_more_files(of: type[System]) -> None:
    system = of(256, 4096)
    assert connections_within_file_limit(100) == 100
    assert system.limits == (256, 4096)


def test_a_wildcard_is_advertised_as_the_machine_s_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "gethostbyname", lambda _: "192.0.2.7")
    assert address_for_others("ws://0.0.0.0:80") == "ws://192.0.2.7:80"
    assert address_for_others("wss://[::]:80") == "wss://192.0.2.7:80"
    assert address_for_others("ws://127.0.0.1:80") == "ws://127.0.0.1:80"


def test_a_reachable_host_without_tls_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_clear_text("0.0.0.0")  # noqa: S104 - nothing listens
    assert "0.0.0.0 is reachable from outside" in caplog.text
