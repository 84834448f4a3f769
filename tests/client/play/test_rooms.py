from ttt_client.net.session import Ending
from ttt_client.play.rooms import enter
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings

LOCKED = Ending(4, "refused: locked", RefusalCode.WRONG_PASSWORD)


class Door:
    """A room with a password, and a player with some to type."""

    def __init__(self, password: str, *typed: str) -> None:
        self._password = password
        self._typed = [*typed]
        self.joins: list[Join] = []
        self.asked: list[str] = []

    async def attempt(self, join: Join) -> Ending:
        self.joins.append(join)
        return Ending(0) if join.password == self._password else LOCKED

    async def ask(self, words: str) -> str | None:
        self.asked.append(words)
        return self._typed.pop(0) if self._typed else None

    async def enter(self, join: Join) -> Ending:
        return await enter(join, self.attempt, self.ask)


async def test_a_password_is_asked_for_only_where_it_is_needed() -> None:
    door = Door("sesame")
    assert await door.enter(Join(name="ada", password="sesame")) == Ending(0)
    assert door.asked == []


async def test_it_is_asked_for_until_it_is_right() -> None:
    door = Door("sesame", "salami", "sesame")
    assert await door.enter(Join(name="ada")) == Ending(0)
    assert [join.password for join in door.joins] == [None, "salami", "sesame"]
    assert door.asked == [
        "password of the room: ",
        "wrong password: password of the room: ",
    ]


async def test_without_an_answer_the_refusal_is_the_end() -> None:
    assert await Door("sesame").enter(Join(name="ada")) == LOCKED


async def test_the_settings_of_a_room_that_is_there_lock_no_new_one() -> None:
    door = Door("sesame", "sesame")
    asked = Join(name="ada", password="x", settings=GivenSettings(password="x", hints=True))
    assert await door.enter(asked) == Ending(0)
    assert door.joins[-1] == Join(name="ada", password="sesame", settings=GivenSettings(hints=True))
    door = Door("sesame", "sesame")
    await door.enter(Join(name="ada", password="x", settings=GivenSettings(password="x")))
    assert door.joins[-1] == Join(name="ada", password="sesame")
