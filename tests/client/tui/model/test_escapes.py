"""What a terminal sends, in every cut: it is a key, a reply, or nothing at all."""

import pytest

from ttt_client.tui.model.escapes import Escapes, Keys, Response

KNOWN = {"\x1b[A", "\x1bOA", "\x1b[5~", "\x1b[<0;3;4M"}


def tokens(*parts: str, flush: bool = False) -> list[Keys | Response]:
    """Return the tokens of parts that come one after the other, each after the time-out."""
    escapes = Escapes(KNOWN.__contains__)
    found = []
    for part in parts:
        found += list(escapes.feed(part))
        found += list(escapes.flush()) if flush else []
    return found


def text(*parts: str, flush: bool = False) -> list[str]:
    return [token.text for token in tokens(*parts, flush=flush)]


@pytest.mark.parametrize("known", sorted(KNOWN))
def test_a_known_sequence_is_a_key_in_every_cut(known: str) -> None:
    assert text(known) == [known]
    assert text(*known) == [known]


@pytest.mark.parametrize(
    "unknown",
    [
        "\x1b[31m",
        "\x1b[12;5R",
        "\x1b[?62;22c",
        "\x1b[97;5u",
        "\x1b[57414;1:3u",
        "\x1b[>41;354;0c",
        "\x1b[1$y",
        "\x1b[[A",
        "\x1b[M 55",
        "\x1bO5",
        "\x1bP1$r0m\x1b\\",
        "\x1bP>|XTerm(5)\x1b\\",
        "\x1b_Gi=5;OK\x1b\\",
        "\x1b^5\x1b\\",
        "\x1bX5\x1b\\",
        "\x9b5n",
        "\x905\x9c",
    ],
)
def test_an_unknown_sequence_is_nothing_in_every_cut(unknown: str) -> None:
    rest = "P" if unknown == "\x1bO5" else ""
    assert text(unknown + rest, "7") == ["7"]
    assert text(*unknown, *rest, "7") == ["7"]
    for cut in range(2, len(unknown)):
        assert text(unknown[:cut], unknown[cut:] + rest, "7", flush=True) == ["7"], cut


@pytest.mark.parametrize("end", ["\x07", "\x1b\\", "\x9c"])
def test_an_osc_string_is_a_reply(end: str) -> None:
    reply = f"\x1b]11;rgb:ffff/ffff/ffff{end}"
    assert tokens(*reply, "5") == [Response("11;rgb:ffff/ffff/ffff"), Keys("5")]
    assert tokens("\x9d11;?" + end) == [Response("11;?")]


def test_a_reply_that_is_endless_is_kept_short() -> None:
    assert tokens("\x1b]" + "5" * 10_000 + "\x07") == [Response("5" * 256)]


def test_an_escape_stands_alone_after_the_time_out() -> None:
    assert text("\x1b") == []
    assert text("\x1b", "7", flush=True) == ["\x1b", "7"]
    assert text("\x1b\x1b", flush=True) == ["\x1b", "\x1b"]


@pytest.mark.parametrize("late", ["[5~", "[31m", "]11;5\x07", "OA"])
def test_the_rest_of_a_sequence_may_be_late(late: str) -> None:
    first, *rest = tokens("\x1b", late, "7", flush=True)
    assert first == Keys("\x1b")
    assert Keys("5") not in rest
    assert Keys("7") in rest


@pytest.mark.parametrize("char", ["5", "b", "é"])
def test_alt_and_a_character_is_an_escape_alone(char: str) -> None:
    assert text(f"\x1b{char}") == ["\x1b"]


@pytest.mark.parametrize("key", ["\r", "\x03", "\x7f"])
def test_a_control_character_ends_what_was_no_sequence(key: str) -> None:
    assert text(f"\x1b{key}") == ["\x1b", key]
    assert text(f"\x1bPtyped{key}5") == [key, "5"]


@pytest.mark.parametrize("begun", ["\x1b[3", "\x1bO", "\x1b]11;5"])
def test_escape_ends_what_was_begun(begun: str) -> None:
    assert text(f"{begun}\x1b[A5") == ["\x1b[A", "5"]
    assert text(f"{begun}\x03") == ["\x03"]


def test_pasted_text_is_passed_on_as_it_is() -> None:
    pasted = "\x1b[200~5\x1b[31m\x1b]7\x07\x1b[201~"
    assert "".join(text(pasted, "7")) == pasted + "7"
    assert "".join(text(*pasted, "7")) == pasted + "7"
    cut = [pasted[:8], pasted[8:-3], pasted[-3:]]
    assert "".join(text(*cut, "7", flush=True)) == pasted + "7"
    assert text("\x1b[200~a\x1b[201~\x1b[31m7")[-1] == "7"
    assert "31" not in "".join(text("\x1b[200~a\x1b[201~\x1b[31m7"))
