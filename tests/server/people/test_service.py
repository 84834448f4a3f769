"""Persons: keeping a name, tokens, links to another device, signing out, settings."""

import asyncio
from collections.abc import Awaitable

import pytest

from ttt_protocol.codes import RefusalCode
from ttt_server.core.errors import Refused
from ttt_server.people import service
from ttt_server.people.service import (
    LINK_MS,
    MOST_WRONG,
    WRONG_MS,
    BadCode,
    NameTaken,
    People,
    TooManyPhrases,
    WrongPhrase,
)
from ttt_server.rooms.admission import Admission
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import Statement

NOW, DAY_MS = 1_800_000_000_000, 86_400_000
SECRET = b"s" * 32


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


class QuickHashing:
    """Hashes that take no time, and how many were made and tried."""

    def __init__(self) -> None:
        self.count = 0

    async def make_hash(self, text: str, address: str) -> str:
        self.count += 1
        await asyncio.sleep(0)
        return f"hash of {text} from {address}"

    async def opens_hash(self, hashed: str, text: str, address: str) -> bool:
        return hashed == await self.make_hash(text, address)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def people(store: MemoryStore, clock: Clock) -> People:
    return People(store, SECRET, QuickHashing(), clock)


def beside(people: People, store: MemoryStore, clock: Clock) -> People:
    """The same persons, on a server that has just started."""
    assert people.tables is store.people
    return People(store, SECRET, QuickHashing(), clock)


async def refused(looking: Awaitable[object]) -> str:
    with pytest.raises(Refused) as caught:
        await looking
    assert caught.value.code is RefusalCode.BAD_TOKEN
    return caught.value.reason


async def test_a_person_is_known_by_the_token(
    people: People, store: MemoryStore, clock: Clock
) -> None:
    ann = await people.make("Ann")
    assert (ann.name, ann.since, ann.seen, ann.epoch) == ("Ann", NOW, NOW, 0)
    token = people.token(ann)
    assert people.at_hand(token) == ann
    assert await people.of_token(token) == ann
    other = beside(people, store, clock)
    assert other.at_hand(token) is None, "it has to look"
    assert await other.of_token(token) == ann
    assert other.at_hand(token) == ann


@pytest.mark.parametrize(
    "name", ["Ann", "ann", "A n n", "\u0391nn", "\uff21\uff2e\uff2e", "\u00c1nn"]
)
async def test_a_name_that_looks_alike_is_given_to_one(people: People, name: str) -> None:
    await people.make("Ann")
    with pytest.raises(NameTaken, match="is kept by somebody"):
        await people.make(name)


@pytest.mark.parametrize("name", ["guest", "Guest", "somebody"])
async def test_nobody_keeps_what_all_are_called(people: People, name: str) -> None:
    with pytest.raises(NameTaken, match="nobody can"):
        await people.make(name)


async def test_of_many_at_once_one_keeps_the_name(people: People) -> None:
    made = await asyncio.gather(*(people.make("Ann") for _ in range(9)), return_exceptions=True)
    assert sum(isinstance(each, NameTaken) for each in made) == 8


async def test_a_person_is_found_by_the_name(people: People) -> None:
    ann = await people.make("Ann")
    assert await people.named("ANN") == ann
    assert await people.named("Bob") is None


async def test_a_token_of_another_installation(people: People, clock: Clock) -> None:
    elsewhere = People(MemoryStore(), b"t" * 32, QuickHashing(), clock)
    token = elsewhere.token(await elsewhere.make("Ann"))
    assert await refused(people.of_token(token)) == "this token is not from this server"


async def test_a_token_of_a_person_who_is_gone(people: People, clock: Clock) -> None:
    elsewhere = People(MemoryStore(), SECRET, QuickHashing(), clock)
    token = elsewhere.token(await elsewhere.make("Ann"))
    assert "no longer known here" in await refused(people.of_token(token))


async def test_signing_out_makes_all_tokens_void(
    people: People, store: MemoryStore, clock: Clock
) -> None:
    ann = await people.make("Ann")
    old, (code, _) = people.token(ann), await people.link(ann)
    other = beside(people, store, clock)
    await other.of_token(old)
    new = people.token(await people.sign_out(ann))
    assert "signed out everywhere" in await refused(people.of_token(old))
    assert (await people.of_token(new)).id == ann.id
    assert await other.of_token(old) == ann, "it looked a moment ago"
    assert (await other.of_token(new)).epoch == 1, "and looks again"
    assert "signed out everywhere" in await refused(other.of_token(old))
    with pytest.raises(BadCode):
        await people.use_link(code)


async def test_another_server_finds_out_within_seconds(
    people: People, store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await people.make("Ann")
    other = beside(people, store, clock)
    await other.of_token(people.token(ann))
    await people.sign_out(ann)
    monkeypatch.setattr(service, "FRESH_S", -1)
    await refused(other.of_token(people.token(ann)))


async def test_a_link_works_once(people: People) -> None:
    ann = await people.make("Ann")
    code, expires = await people.link(ann)
    assert expires == NOW + LINK_MS
    assert await people.use_link(code) == ann
    with pytest.raises(BadCode):
        await people.use_link(code)


async def test_of_two_who_use_a_link_at_once_one_is_let_in(people: People) -> None:
    code, _ = await people.link(await people.make("Ann"))
    used = await asyncio.gather(
        people.use_link(code), people.use_link(code), return_exceptions=True
    )
    assert sum(isinstance(each, BadCode) for each in used) == 1


async def test_a_link_works_for_ten_minutes(people: People, clock: Clock) -> None:
    ann = await people.make("Ann")
    code, expires = await people.link(ann)
    clock.now = expires - 1
    assert await people.use_link(code) == ann
    code, expires = await people.link(ann)
    clock.now = expires
    with pytest.raises(BadCode):
        await people.use_link(code)


async def test_a_person_has_one_link_and_its_code_is_not_kept(people: People) -> None:
    ann = await people.make("Ann")
    first, _ = await people.link(ann)
    second, _ = await people.link(ann)
    (rows,) = await people.tables.transact([Statement("SELECT code FROM person_links")])
    assert len(rows) == 1
    assert second not in str(rows)
    with pytest.raises(BadCode):
        await people.use_link(first)
    assert await people.use_link(second) == ann


async def test_six_words_bring_a_person_back(people: People) -> None:
    ann = await people.make("Ann")
    phrase = await people.new_phrase(ann, "here")
    assert len(phrase.split()) == 6
    assert await people.recover("ann", phrase, "here") == ann
    typed = phrase.upper().replace(" ", ",  ")
    assert await people.recover("Ann", f" {typed} ", "here") == ann, "it works again"


@pytest.mark.parametrize("name", ["Ann", "Bob", "Eve"])
async def test_a_wrong_phrase(people: People, name: str) -> None:
    ann, _ = await people.make("Ann"), await people.make("Bob")
    old = await people.new_phrase(ann, "here")
    await people.new_phrase(ann, "here")
    with pytest.raises(WrongPhrase):
        await people.recover(name, old, "here")


async def test_the_words_are_not_kept(people: People, store: MemoryStore, clock: Clock) -> None:
    admission = Admission(SECRET)
    real = People(store, SECRET, admission, clock)
    phrase = await real.new_phrase(await people.make("Ann"), "here")
    kept = await store.people.transact([Statement("SELECT * FROM persons")])
    assert phrase.split()[0] not in str(kept)
    assert (await real.recover("Ann", phrase, "here")).name == "Ann"
    admission.close()


async def test_phrases_are_tried_so_often_in_an_hour(people: People, clock: Clock) -> None:
    ann = await people.make("Ann")
    phrase = await people.new_phrase(ann, "here")
    tried = await asyncio.gather(
        *(people.recover("Ann", "a b c d e f", str(n)) for n in range(MOST_WRONG + 5)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, WrongPhrase) for each in tried) == MOST_WRONG
    assert sum(isinstance(each, TooManyPhrases) for each in tried) == 5
    with pytest.raises(TooManyPhrases):
        await people.recover("Ann", phrase, "here")
    clock.now += WRONG_MS
    assert await people.recover("Ann", phrase, "here") == ann
    for _ in range(MOST_WRONG):
        with pytest.raises(WrongPhrase):
            await people.recover("Ann", "a b c d e f", "here")


async def test_an_issuer_means_the_same_person_each_time(
    people: People, store: MemoryStore, clock: Clock
) -> None:
    ada = await people.of_identity("proxy", "ada", "ada")
    assert await people.of_identity("proxy", "ada", "ada") == ada
    assert await beside(people, store, clock).of_identity("proxy", "ada", "Ada L.") == ada
    other = await people.of_identity("https://id.example.org", "ada", "ada")
    assert (other.name, other.id != ada.id) == ("ada 2", True)


async def test_one_who_comes_twice_at_once_is_one_person(people: People) -> None:
    found = await asyncio.gather(*(people.of_identity("proxy", "ada", "ada") for _ in range(5)))
    assert len({person.id for person in found}) == 1


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("bob@example.org", "bob"),
        ("x" * 99, "x" * 24),
        ("@", "@"),
        ("", "player"),
        ("Guest", "player"),
        ("a\u202eb", "ab"),
    ],
)
async def test_an_identity_gets_a_name_that_can_be_kept(
    people: People, wanted: str, name: str
) -> None:
    assert (await people.of_identity("proxy", wanted, wanted)).name == name
    (second,) = [await people.of_identity("proxy", f"{wanted}!", wanted)]
    assert second.name == f"{name[:19]} 2"


async def test_silent_persons_are_found(people: People, clock: Clock) -> None:
    ann = await people.make("Ann")
    clock.now += DAY_MS
    await people.make("Bob")
    assert await people.silent(86_400) == []
    assert await people.silent(86_399) == [ann]


async def test_settings_are_changed_one_by_one(people: People) -> None:
    ann = await people.make("Ann")
    assert await people.settings(ann) == {}
    await people.change_settings(ann, {"hidden": True, "quiet": "22-7"})
    assert await people.change_settings(ann, {"hidden": None}) == {"quiet": "22-7"}
    assert await people.settings(ann) == {"quiet": "22-7"}
    await asyncio.gather(*(people.change_settings(ann, {str(n): n}) for n in range(5)))
    assert len(await people.settings(ann)) == 6


async def test_visits_are_noted_once_a_day(
    people: People, store: MemoryStore, clock: Clock
) -> None:
    ann = await people.make("Ann")
    token, seen = people.token(ann), Statement("SELECT seen FROM persons")
    for after_ms, noted in ((DAY_MS, NOW), (DAY_MS + 1, NOW + DAY_MS + 1)):
        clock.now = NOW + after_ms
        await beside(people, store, clock).of_token(token)
        assert await store.people.transact([seen]) == [[(noted,)]]


async def test_memory_is_bounded(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_REMEMBERED", 2)
    tokens = [people.token(await people.make(name)) for name in ("Ann", "Bob", "Eve")]
    assert [people.at_hand(token) is None for token in tokens] == [True, False, False]
    assert (await people.of_token(tokens[0])).name == "Ann"
