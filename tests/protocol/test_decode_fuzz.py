"""Broken commands; `FUZZ=1000000 pytest tests/protocol/codec/test_decode_fuzz.py` for a million.

A mutant is a command of the golden files to which a few harmful things were done.
"""

import json
import os
from pathlib import Path
from random import Random

import pytest

from ttt_protocol.codec import BadCommand, decode_command, encode_command
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Command

COUNT = int(os.environ.get("FUZZ", "5000"))
BATCHES = 20
COMMANDS = [
    path.read_bytes()
    for path in sorted((Path(__file__).parents[0] / "golden" / "commands").glob("*.json"))
]
FRAGMENTS = [
    *(b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\\u", b"\\ud800", b"\\u0000", b"\x00"),
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-0", b"1.0", b"9" * 400, b"1e-999"),
    *(b'"id":', b'"id":"x",', b'"type":"join",', b'"type":', b'"settings":', b'{"a":' * 300),
    *(b"[" * 300, b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xc2\x9b31m"),
    *(b"\x1b[31m", b"\x1b]0;", b"\xcc\x81" * 50, b"\xe3\x85\xa4", b" " * 300, b"zqxjvk" * 40),
]


def mutant(random: Random) -> bytes:
    data = bytearray(random.choice(COMMANDS))
    for _ in range(random.randint(1, 6)):
        at, until = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
        match random.randint(0, 6):
            case 0:
                data[at:at] = random.choice(FRAGMENTS)
            case 1:
                del data[at : min(until, at + 8)]
            case 2:
                data[at:until] = random.choice(FRAGMENTS)
            case 3:
                data[at:at] = data[at:until]
            case 4:
                data[at:at] = random.choice(COMMANDS)
            case 5:
                data[at : at + 1] = random.randbytes(1)
            case _:
                value = random.choice([b"null", b"0", b"[]", b"{}", b'""', b"1.5", b"true", b'"X"'])
                colons = [index for index, byte in enumerate(data) if byte == ord(":")]
                at = random.choice(colons) + 1 if colons else at
                end = min((i for i in range(at, len(data)) if data[i] in b",}\n"), default=at)
                data[at:end] = value
    return bytes(data[:4096])


def decoded(data: bytes) -> Command | BadCommand:
    try:
        return decode_command(data)
    except BadCommand as refused:
        return refused


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_mutant_is_a_command_or_is_refused(batch: int) -> None:
    random = Random(batch)
    for _ in range(COUNT // BATCHES):
        data = mutant(random)
        answer = decoded(data)
        if isinstance(answer, BadCommand):
            assert answer.code in (RefusalCode.BAD_JSON, RefusalCode.BAD_COMMAND), data
            assert 0 < len(answer.reason) < 130, data
            assert answer.reason.isprintable(), data
            assert "zqxjvk" not in answer.reason, data
            assert answer.id is None or 1 <= len(answer.id) <= 64, data
        else:
            again = encode_command(answer)
            assert decode_command(again) == answer, data
            assert json.loads(again)["type"] == answer.type, data


def test_the_mutants_are_of_every_kind() -> None:
    random = Random(0)
    answers = [decoded(mutant(random)) for _ in range(4000)]
    refused = {answer.code for answer in answers if isinstance(answer, BadCommand)}
    assert refused == {RefusalCode.BAD_JSON, RefusalCode.BAD_COMMAND}
    understood = {answer.type for answer in answers if not isinstance(answer, BadCommand)}
    assert len(understood) > 6
