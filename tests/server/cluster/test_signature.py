"""Only servers of an installation can say that they pass a request on."""

import pytest

from ttt_server.cluster.signature import MAX_AGE_S, Relayed, Signer

NOW = 1_795_500_000.0
PATH, CLIENT = "/ws/rooms/den", "203.0.113.7"


def signed(kind: str = "client", secret: bytes = b"a secret of ours") -> tuple[str, str]:
    headers = dict(Signer(secret).headers(kind, PATH, CLIENT, NOW))  # type: ignore[arg-type]
    return headers["TTT-Client"], headers["TTT-Relay"]


@pytest.mark.parametrize("kind", ["client", "probe"])
def test_what_one_server_signs_another_believes(kind: str) -> None:
    client, relay = signed(kind)
    assert Signer(b"a secret of ours").check(PATH, [client], [relay], NOW) == Relayed(
        kind,  # type: ignore[arg-type]
        CLIENT,
    )


@pytest.mark.parametrize(
    ("path", "clients", "relays"),
    [
        ("/ws/rooms/lair", None, None),
        (PATH, ["203.0.113.8"], None),
        (PATH, [], None),
        (PATH, None, []),
        (PATH, None, ["client"]),
        (PATH, None, ["player now 00"]),
        (PATH, None, ["king 1795500000 00"]),
        (PATH, [CLIENT, CLIENT], None),
        (PATH, None, [signed(secret=b"another secret")[1]]),
    ],
)
def test_foreign_signatures_are_rejected(
    path: str, clients: list[str] | None, relays: list[str] | None
) -> None:
    client, relay = signed()
    signer = Signer(b"a secret of ours")
    given_clients = [client] if clients is None else clients
    given_relays = [relay] if relays is None else relays
    assert signer.check(path, given_clients, given_relays, NOW) is None


@pytest.mark.parametrize("age", [MAX_AGE_S + 2, -MAX_AGE_S - 2])
def test_a_signature_is_good_for_a_minute(age: float) -> None:
    client, relay = signed()
    assert Signer(b"a secret of ours").check(PATH, [client], [relay], NOW + age) is None
