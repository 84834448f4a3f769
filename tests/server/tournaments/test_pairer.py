"""Rounds that a worker process finds."""

import asyncio
from collections.abc import AsyncIterator
from random import Random
from time import thread_time

import pytest

from tests.server.tournaments.rules.tournaments import Evening, at_random, names
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Form
from ttt_server.tournaments.pairer import Pairer
from ttt_server.tournaments.pairing_worker import answer
from ttt_server.tournaments.rules.forms import Candidate, Field, Over, Pairing, field_of
from ttt_server.tournaments.rules.matching import find_round


@pytest.fixture
async def pairer() -> AsyncIterator[Pairer]:
    it = Pairer()
    yield it
    await it.close()


@pytest.mark.slow
async def test_a_process_finds_the_rounds_that_the_rules_find(pairer: Pairer) -> None:
    evening = Evening(Form.SWISS, names(7), rounds=4)
    evening.start()
    for seed in range(3):
        field = field_of(evening.it)
        assert await pairer.find_round(field) == find_round(field)
        evening.play_round(at_random(Random(seed)))
    met = [
        Candidate(SessionId(f"p{at}"), 0, "X", (1 - at,), 0, is_late=False, is_stand_in=False)
        for at in range(2)
    ]
    assert await pairer.find_round(Field(tuple(met))) == Over(EarlyEnd.NO_PAIRING)


@pytest.mark.heavy
async def test_the_loop_goes_on_while_a_process_pairs_five_hundred(pairer: Pairer) -> None:
    evening = Evening(Form.SWISS, names(500), rounds=2)
    evening.start()
    evening.play_round(at_random(Random(1)))
    await pairer.find_round(Field(()))  # the process has started
    finding = asyncio.ensure_future(pairer.find_round(field_of(evening.it)))
    busiest, before = 0.0, thread_time()
    while not finding.done():
        await asyncio.sleep(0.001)
        busiest, before = max(busiest, thread_time() - before), thread_time()
    found = finding.result()
    assert isinstance(found, Pairing)
    assert len(found.pairs) == 250
    assert busiest < 0.02


def test_an_answer_is_a_round_or_the_reason_why_there_is_none() -> None:
    met = [[f"p{at}", 0, "X", [1 - at], 0, False, False] for at in range(2)]
    assert answer({"candidates": met}) == {"over": "no_pairing"}
    new = [[f"p{at}", 0, "", [], 0, False, False] for at in range(2)]
    assert answer({"candidates": new})["pairs"] == (("p0", "p1", False, False),)
