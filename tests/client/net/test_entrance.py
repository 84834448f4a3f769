from ttt_client.net.session import Entrance, NoTokenStore
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings, Mark, Role, Token, You

KEY = "k" * 16
WATCH = Join(name="eve", role=Role.SPECTATOR, password="sesame", claim_key=KEY)


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


def test_a_claim_key_of_its_own_stays_the_same_until_the_welcome() -> None:
    join = Join(name="ada", seat=Mark.X)
    entrance, other = (Entrance(join, NoTokenStore(), None) for _ in range(2))
    first = entrance.join(is_return=False)
    assert first.claim_key is not None
    assert first == entrance.join(is_return=False)
    assert first.claim_key != other.join(is_return=False).claim_key
    assert first.model_copy(update={"claim_key": None}) == join
    mine = You(id=None, role=Role.PLAYER, seat=Mark.X, name="ada", token=Token("mine"))
    entrance.welcomed(mine)
    assert entrance.join(is_return=True).claim_key is None
    assert not entrance.drop_claim_key()


def test_an_older_server_is_not_told_the_claim_key() -> None:
    entrance = Entrance(WATCH, NoTokenStore(), None)
    assert entrance.drop_claim_key()
    assert entrance.join(is_return=False) == WATCH.model_copy(update={"claim_key": None})
    assert not entrance.drop_claim_key()
