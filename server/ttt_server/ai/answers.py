"""The answers of worker processes as lines. Pure, and quick to import for a worker.

An answer is a JSON object on one line. Lines of JSON may follow it on the same line, with other
characters for their line breaks: JSON escapes all control characters, so that it holds none of
them. The lines need no parser in the server, whose event loop 500 kB of them in a string of JSON
held up for 1.6 ms.
"""

import json
from typing import Any, Final

Answer = dict[str, Any]

_BEFORE_LINES: Final = "\x1f"
_LINE_BREAK: Final = "\x1e"


def encode_answer(answer: Answer) -> str:
    """Return an answer as a line, without its line break.

    `lines` of the answer are lines of JSON, a string; they stand behind the rest of it.
    """
    lines: str | None = answer.get("lines")
    if lines is None:
        return json.dumps(answer)
    head = json.dumps({key: value for key, value in answer.items() if key != "lines"})
    return head + _BEFORE_LINES + lines.replace("\n", _LINE_BREAK)


def decode_answer(line: bytes) -> Answer:
    """Return the answer that a line holds, with its `lines` in UTF-8.

    Raises:
        ValueError: the line holds no JSON object.
    """
    head, has_lines, lines = line.partition(_BEFORE_LINES.encode())
    answer = json.loads(head)
    if not isinstance(answer, dict):
        raise ValueError("an answer is an object")  # noqa: TRY004 - it is JSON, and not an argument
    if has_lines:
        answer["lines"] = lines.replace(_LINE_BREAK.encode(), b"\n")
    return answer
