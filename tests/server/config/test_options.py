from pathlib import Path

import pytest

from tests.server.configs import fault, toml
from ttt_server.config.options import Config, flag, help_texts, load
from ttt_server.limits.rates import Rate

DEFAULTS = {
    "host": "127.0.0.1",
    "port": 8765,
    "store": "sqlite:",
    "secret": None,
    "allow_origin": (),
    "max_connections": 10_000,
    "max_connections_per_address": 200,
    "max_rooms": 10_000,
    "max_rooms_per_address": 100,
    "max_frame": 4096,
    "commands_per_10s": 60,
    "command_burst": 60,
    "outbox": 64,
    "send_timeout_s": 5,
    "join_timeout_s": 10,
    "room_idle_s": 300,
    "room_abandon_s": 86_400,
    "drain_s": 5,
    "accept_loss": False,
}


def test_defaults() -> None:
    config = load({}, None)
    assert {name: getattr(config, name) for name in DEFAULTS} == DEFAULTS
    assert config.data.name == "ttt-server"


@pytest.mark.parametrize("name", Config.model_fields)
def test_every_option_has_words_and_a_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert help_texts()[name]
    monkeypatch.setenv(f"TTT_{name.upper()}", "")
    lists = {"allow_origin", "allow_frame_ancestor", "allow_host", "trusted_proxies"}
    lists |= {"push_services"}
    if name in {"data", *lists, "tls_cert", "tls_key"}:
        return  # an empty text is good there, or not alone at fault
    assert fault({}).startswith(flag(name))


def test_a_secret_is_not_shown() -> None:
    assert "0123456789abcdef" not in repr(load({"secret": "0123456789abcdef"}, None))


@pytest.mark.parametrize("alone", ["tls_cert", "tls_key"])
def test_certificate_and_key_go_together(alone: str) -> None:
    assert fault({alone: "x.pem"}) == "--tls-cert and --tls-key go together"
    assert load({"tls_cert": "x.pem", "tls_key": "y.pem"}, None).tls_key == Path("y.pem")


@pytest.mark.parametrize("name", Config.model_fields)
def test_only_a_switch_is_true_or_false(name: str, tmp_path: Path) -> None:
    file = toml(tmp_path, f"{name} = false\n")
    if name == "accept_loss":
        assert load({}, file).accept_loss is False
    else:
        assert fault({}, file) == f"{flag(name)}: cannot be true or false"


def test_limits_that_are_not_set_follow_from_those_of_a_connection() -> None:
    limits = load({"commands_per_10s": "7", "command_burst": "3"}, None).address_limits
    assert (limits.commands.per_second, limits.commands.burst, limits.guesses.burst) == (70, 300, 6)
    assert (limits.connections, limits.connects.burst) == (200, 2000)
    many = load({"max_connections_per_address": "300"}, None).address_limits
    assert (many.connections, many.connects.burst, many.connects.per_second) == (300, 3000, 300)


def test_limits_that_are_set_are_taken() -> None:
    flags = {
        "connects_per_10s_per_address": "20",
        "commands_per_10s_per_address": "30",
        "guesses_per_minute_per_address": "60",
    }
    limits = load(flags, None).address_limits
    assert (limits.connects.per_second, limits.commands.per_second, limits.guesses.per_second) == (
        2,
        3,
        1,
    )


def test_frames_follow_from_commands() -> None:
    config = load({"commands_per_10s": "10", "command_burst": "3", "outbox": "5"}, None)
    assert config.command_limits == Rate(1, 3)
    limits = config.connection_limits
    assert (limits.frames_per_s, limits.frame_burst, limits.outbox) == (5, 300, 5)
    many = load({"command_burst": "100"}, None).connection_limits
    assert (many.frames_per_s, many.frame_burst) == (30, 500)


def test_limits_of_rooms() -> None:
    limits = load({"max_rooms": "3", "room_idle_s": "7"}, None).room_limits
    assert (limits.rooms, limits.rooms_per_address) == (3, 100)
    assert (limits.idle_s, limits.abandon_s) == (7, 86_400)


def test_retention_has_what_is_kept() -> None:
    assert load({}, None).retention.keeps_played
    flags = {"keep_games": "5", "forget_rooms_after": "90d", "forget_events_after": "1h"}
    kept = load(flags, None).retention
    assert (kept.keep_games, kept.forget_after_s) == (5, 7_776_000)
    assert (kept.forget_tournaments_after_s, kept.forget_unplayed_after_s) == (3600, 86_400)


WHO = {"identity_header": "Remote-User", "trusted_proxies": "127.0.0.1"}
ISSUER = {"oidc_issuer": "https://id.example.org", "oidc_client_id": "rooms"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"identity_header": "Remote-User"}, "--identity-header needs --trusted-proxies"),
        ({"oidc_issuer": "https://id.example.org"}, "--oidc-issuer and --oidc-client-id go"),
        ({**WHO, "persons": "no"}, "--persons no goes without"),
        ({"guests": "no", "persons": "no"}, "--persons no goes without"),
        ({"guests": "no"}, "--guests no needs --identity-header or --oidc-issuer"),
        ({"processes": "2"}, "--processes: "),
        ({"notify_secret": "x" * 24}, "--notify-secret needs --notify-webhook"),
    ],
)
def test_options_that_do_not_go_together(flags: dict[str, str], words: str) -> None:
    assert fault(flags).startswith(words)


def test_people_may_be_known_in_two_ways() -> None:
    for known in (WHO, ISSUER):
        assert load({**known, "guests": "no"}, None).guests == "no"
