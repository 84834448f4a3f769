import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_server.ai.messages import decode_answer, encode_answer

TEXTS = st.text(st.characters(codec="utf-8"))


@given(
    st.dictionaries(TEXTS.filter(lambda key: key != "lines"), TEXTS),
    st.none() | st.lists(TEXTS),
)
def test_an_answer_comes_back_as_it_was(answer: dict[str, Any], texts: list[str] | None) -> None:
    lines = None if texts is None else "".join(f"{json.dumps(text)}\n" for text in texts)
    given_lines = {} if lines is None else {"lines": lines}
    line = encode_answer(answer | given_lines)
    assert "\n" not in line
    told = {} if lines is None else {"lines": lines.encode()}
    assert decode_answer(line.encode()) == answer | told


@pytest.mark.parametrize("line", [b"", b"[]", b"1", b"x", b"\xff", b"\x1f{}"])
def test_what_is_no_answer(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        decode_answer(line)
