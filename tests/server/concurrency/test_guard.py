import asyncio

import pytest

from ttt_server.concurrency.guard import run_guarded


def fail(word: str) -> None:
    raise RuntimeError(word)


def test_a_bug_is_returned() -> None:
    error = run_guarded(fail, "oops")
    assert isinstance(error, RuntimeError)
    assert str(error) == "oops"


def test_what_went_well_is_done() -> None:
    done: list[int] = []
    assert run_guarded(done.append, 1) is None
    assert done == [1]


def test_an_end_is_no_bug() -> None:
    def cancel() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_guarded(cancel)
