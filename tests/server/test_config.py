from pathlib import Path
from typing import Any

import pytest

from ttt_server.config import Config, InvalidConfig, flag, load

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


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Config.model_fields:
        monkeypatch.delenv(f"TTT_{name.upper()}", raising=False)


def toml(folder: Path, text: str) -> Path:
    path = folder / "ttt.toml"
    path.write_text(text, encoding="utf-8")
    return path


def fault(flags: dict[str, Any], file: str | Path | None = None) -> str:
    with pytest.raises(InvalidConfig) as caught:
        load(flags, file)
    words = str(caught.value)
    assert "\n" not in words
    return words


def test_defaults() -> None:
    config = load({}, None)
    assert {name: getattr(config, name) for name in DEFAULTS} == DEFAULTS
    assert config.data.name == "ttt-server"


def test_flags_before_environment_before_file_before_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = toml(tmp_path, "port = 1\nmax_rooms = 1\noutbox = 1\n")
    monkeypatch.setenv("TTT_PORT", "2")
    monkeypatch.setenv("TTT_MAX_ROOMS", "2")
    config = load({"port": "3"}, file)
    assert (config.port, config.max_rooms, config.outbox, config.max_frame) == (3, 2, 1, 4096)


@pytest.mark.parametrize("name", Config.model_fields)
def test_every_option_has_words_and_a_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Config.model_fields[name].description
    monkeypatch.setenv(f"TTT_{name.upper()}", "")
    lists = {"allow_origin", "allow_frame_ancestor", "allow_host", "trusted_proxies"}
    if name in {"data", *lists, "tls_cert", "tls_key"}:
        return  # an empty text is good there, or not alone at fault
    assert fault({}).startswith(flag(name))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "65536"),
        ("port", "-1"),
        ("port", "http"),
        ("host", ""),
        ("data", ""),
        ("tls_key", ""),
        ("max_rooms", "0"),
        ("max_frame", "255"),
        ("drain_s", "0"),
        ("drain_s", "nan"),
        ("send_timeout_s", "inf"),
        ("store", "mysql://x"),
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("secret", "short"),
        ("allow_origin", "null"),
        ("allow_origin", "*"),
        ("allow_origin", "https://a.example/"),
        ("allow_origin", "https://A.example"),
        ("allow_host", "http://a.example"),
        ("allow_host", "a.example:80"),
        ("public_url", "play.example.org"),
        ("public_url", 'https://play.example.org/"'),
        ("trusted_proxies", "localhost"),
        ("trusted_proxies", "10.0.0.1/8"),
        ("connects_per_10s_per_address", "0"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_the_option(name: str, value: str) -> None:
    words = fault({name: value})
    assert words.startswith(f"{flag(name)}: ")
    if name == "secret":
        assert value not in words.removeprefix("--secret").replace("should", "")


def test_a_secret_is_not_shown() -> None:
    assert "0123456789abcdef" not in repr(load({"secret": "0123456789abcdef"}, None))


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("https://a.example", ("https://a.example",)),
        ("https://a.example, https://b.example,", ("https://a.example", "https://b.example")),
    ],
)
def test_origins_have_commas_between(
    text: str, origins: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load({"allow_origin": text}, None).allow_origin == origins
    monkeypatch.setenv("TTT_ALLOW_ORIGIN", text)
    assert load({}, None).allow_origin == origins


def test_origins_are_a_list_in_a_file(tmp_path: Path) -> None:
    file = toml(tmp_path, 'allow_origin = ["https://a.example"]\n')
    assert load({}, file).allow_origin == ("https://a.example",)


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


@pytest.mark.parametrize("name", ["none.toml", ""])
def test_a_file_that_is_not_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fault({}, name) == f"--config: there is no file {name!r}"


def test_an_empty_variable_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_CONFIG", "")
    assert load({}, None).port == 8765


@pytest.mark.parametrize("content", [b"port = \n", b"\xff\xfe = 1\n"], ids=["toml", "utf-8"])
def test_a_file_that_is_no_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ttt.toml"
    path.write_bytes(content)
    assert fault({}, path).startswith(f"--config: {path}: ")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("max_roms", "there is no option 'max_roms'"),
        ("max-rooms", "there is no option 'max-rooms'; write max_rooms"),
    ],
)
def test_an_unknown_key_in_the_file(key: str, words: str, tmp_path: Path) -> None:
    file = toml(tmp_path, f"{key} = 1\n")
    assert fault({}, file) == f"--config: {file}: {words}"


def test_a_config_of_code_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_MAX_ROOMS", "2")
    assert Config().max_rooms == 10_000
    assert load({}, None).max_rooms == 2


def test_limits_that_are_not_set_follow_from_those_of_a_connection() -> None:
    limits = load({"commands_per_10s": "7", "command_burst": "3"}, None).address_limits
    assert (limits.commands_per_s, limits.command_burst, limits.guess_burst) == (70, 300, 6)
    assert (limits.connections, limits.connect_burst) == (200, 2000)
    many = load({"max_connections_per_address": "300"}, None).address_limits
    assert (many.connections, many.connect_burst, many.connects_per_s) == (300, 3000, 300)


def test_limits_that_are_set_are_taken() -> None:
    flags = {
        "connects_per_10s_per_address": "20",
        "commands_per_10s_per_address": "30",
        "guesses_per_minute_per_address": "60",
    }
    limits = load(flags, None).address_limits
    assert (limits.connects_per_s, limits.commands_per_s, limits.guesses_per_s) == (2, 3, 1)


def test_frames_follow_from_commands() -> None:
    config = load({"commands_per_10s": "10", "command_burst": "3", "outbox": "5"}, None)
    assert (config.command_limits.commands_per_s, config.command_limits.command_burst) == (1, 3)
    limits = config.connection_limits
    assert (limits.frames_per_s, limits.frame_burst, limits.outbox) == (5, 15, 5)


def test_limits_of_rooms() -> None:
    limits = load({"max_rooms": "3", "room_idle_s": "7"}, None).room_limits
    assert (limits.rooms, limits.rooms_per_address) == (3, 100)
    assert (limits.idle_s, limits.abandon_s) == (7, 86_400)


def test_the_names_of_flags() -> None:
    assert flag("commands_per_10s") == "--commands-per-10s"
