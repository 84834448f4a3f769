from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_server.limits.client_address import NoAddress, Proxies, parse_address, source_of

HERE = Proxies.parse(["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        (" 203.0.113.7\t", "203.0.113.7"),
        ("203.0.113.7:5678", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
)
def test_an_address(text: str, address: str) -> None:
    assert parse_address(text) == ip_address(address)


@pytest.mark.parametrize(
    "text", ["", " ", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "[", ":", "²"]
)
def test_no_address(text: str) -> None:
    with pytest.raises(NoAddress):
        parse_address(text)


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
    ],
)
def test_whom_it_counts_for(address: str, source: str) -> None:
    assert source_of(ip_address(address)) == source


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("::ffff:127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["1.1.1.1", "198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, 10.1.2.3"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, 10.1.2.3,2001:db8:ffff:1::9"], "198.51.100.1"),
        ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        ("127.0.0.1", ["garbage"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, garbage"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, garbage, 10.0.0.9"], "10.0.0.9"),
        ("127.0.0.1", [",,,"], "127.0.0.1"),
        ("127.0.0.1", ["garbage, 198.51.100.1"], "198.51.100.1"),
    ],
)
def test_the_client_behind_a_proxy(peer: str, headers: list[str], client: str) -> None:
    assert HERE.client(peer, headers) == ip_address(client)


def test_without_proxies_no_header_counts() -> None:
    assert Proxies().client("127.0.0.1", ["198.51.100.1"]) == ip_address("127.0.0.1")


@pytest.mark.parametrize("text", ["", "localhost", "10.0.0.1/8", "1.2.3.4/33"])
def test_no_proxy(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Proxies.parse([text])


def test_a_peer_without_an_address() -> None:
    with pytest.raises(NoAddress):
        HERE.client("@abstract", [])


@given(st.lists(st.text("0123456789abcdef.:,[]% x", max_size=40), max_size=4))
def test_any_headers(headers: list[str]) -> None:
    source_of(HERE.client("127.0.0.1", headers))


@given(st.lists(st.text(max_size=20), max_size=4), st.ip_addresses(v=4))
def test_what_a_client_writes_itself_never_counts(forged: list[str], client: object) -> None:
    if not HERE.trusts(parse_address(str(client))):
        written = ",".join([*forged, str(client)])
        assert HERE.client("127.0.0.1", [written]) == client
