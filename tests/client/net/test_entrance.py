from ttt_client.net.entrance import Entrance, NoTokenStore
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings, Mark, Role, Token, You

WATCH = Join(name="eve", role=Role.SPECTATOR, password="sesame")


def spectator(watch: str | None) -> You:
    secret = None if watch is None else Token(watch)
    return You(id=None, role=Role.SPECTATOR, seat=None, name="eve", token=None, watch=secret)


def test_a_spectator_shows_the_secret_in_place_of_the_password() -> None:
    entrance = Entrance(WATCH, NoTokenStore(), None)
    assert entrance.join(is_return=False) == WATCH
    entrance.welcomed(spectator("secret"))
    known = Join(name="eve", role=Role.SPECTATOR, watch="secret")
    assert entrance.join(is_return=True) == known
    assert entrance.drop_refused() is not None
    assert entrance.join(is_return=False) == WATCH
    assert entrance.drop_refused() is None


def test_a_server_without_such_secrets_is_told_the_password_again() -> None:
    entrance = Entrance(WATCH, NoTokenStore(), None)
    entrance.welcomed(spectator(None))
    assert entrance.join(is_return=True) == WATCH


def test_a_token_of_the_user_is_not_dropped() -> None:
    join = Join(name="ada", seat=Mark.X, settings=GivenSettings(public=False))
    entrance = Entrance(join, NoTokenStore(), Token("mine"))
    assert entrance.join(is_return=True) == Join(name="ada", token="mine")
    assert entrance.drop_refused() is None
    assert entrance.join(is_return=True) == Join(name="ada", token="mine")
