from io import StringIO

from ttt_client.output import Output


def output(*, ascii_only: bool = False) -> tuple[Output, StringIO, StringIO]:
    out, err = StringIO(), StringIO()
    return Output(out, err, ascii_only=ascii_only), out, err


def test_no_escape_code_ever_reaches_the_terminal() -> None:
    shown, out, err = output()
    shown.say("a\x1b[31mb\x07\x9b2Jc")
    shown.warn("d\x1b]0;title\x07e")
    assert out.getvalue() == "abc\n"
    assert err.getvalue() == "ttt-client: de\n"


def test_ascii_is_nothing_but_ascii() -> None:
    shown, out, _ = output(ascii_only=True)
    shown.say("café │")
    assert out.getvalue() == "caf? ?\n"


def test_json_is_one_line_whatever_stands_between_its_tokens() -> None:
    shown, out, _ = output(ascii_only=True)
    shown.raw('{"a":\r\n "é\u2028"}')
    assert out.getvalue() == '{"a":   "é\u2028"}\n'
