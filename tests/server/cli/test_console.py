"""What a command prints, where it may not get rid of it."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ttt_server.cli.console import one_or_more, port, similar

TELLING = "import sys; from ttt_server.cli.console import tell; sys.exit(tell('arena', 'a ± b'))"


def told(stdout: int, **variables: str) -> tuple[int, str | None, str]:
    command = [sys.executable, "-c", TELLING]
    done = subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, check=False, env=variables, text=True
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("text", ["http", "-1", "65536", "9" * 5000, ""])
def test_what_is_no_port(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be 0 to 65535"):
        port(text)
    assert port("0") == 0


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("--forget", "; did you mean --forget-rooms, --forget-unplayed or --forget-events?"),
        ("--forget-rooms", "; did you mean --forget-rooms?"),
        ("--forget-room", "; did you mean --forget-rooms?"),
        ("--prot", "; did you mean --port?"),
        ("--p", "; did you mean --port or --public-url?"),
        ("--weather", ""),
    ],
)
def test_the_words_that_were_probably_meant(word: str, words: str) -> None:
    forgetting = "--forget-rooms", "--forget-unplayed", "--forget-events", "--forget-all"
    assert similar(word, ("--port", "--public-url", *forgetting)) == words


@pytest.mark.parametrize("text", ["many", "-1", "0", "00", "", "٣", "1.5"])
def test_what_counts_nothing(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number from 1"):
        one_or_more(text)
    assert one_or_more("1") == 1


@pytest.mark.parametrize("text", ["1000000001", "9" * 5000])
def test_a_count_that_is_too_large_is_told_the_most(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"^must be at most 1000000000$"):
        one_or_more(text)
    assert one_or_more("1000000000") == 1_000_000_000


def test_a_terminal_of_letters_alone() -> None:
    assert told(subprocess.PIPE, PYTHONIOENCODING="ascii") == (0, "a ? b\n", "")


def test_a_reader_that_is_gone_is_an_end_like_another() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert told(writing) == (0, None, "")
    finally:
        os.close(writing)


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        status, _, err = told(full.fileno())
    assert status == 1
    assert err == "arena: standard output: No space left on device\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["check", "--help"],
        ["conformance", "--port", "0"],
        ["arena", "random", "random", "--games", "2"],
        ["--store", "memory:", "--port", "0", "--log-level", "warning"],
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_full_disk_is_one_line_and_a_status_of_each_command(
    arguments: list[str], unbuffered: str
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ttt_server", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            timeout=60,
        )
    program = " ".join(["ttt-server", *arguments[:1]]).partition(" --")[0]
    assert done.stderr == f"{program}: standard output: No space left on device\n"
    assert done.returncode == 1
