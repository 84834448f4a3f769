"""Enter a room, and ask for its password if it needs one."""

from collections.abc import Awaitable, Callable

from ttt_client.model.options import settings_of
from ttt_client.net.session import Ending
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join

Attempt = Callable[[Join], Awaitable[Ending]]
AskPassword = Callable[[str], Awaitable[str | None]]
"""Ask for a password, with a text that says why; None if the question is given up."""


async def enter(join: Join, attempt: Attempt, ask: AskPassword) -> Ending:
    """Stay in a room, and return the end of the stay.

    Where a password is needed, or another one, the answer to `ask` is tried next.
    """
    while True:
        end = await attempt(join)
        if end.refusal is not RefusalCode.WRONG_PASSWORD:
            return end
        why = "wrong password: " if join.password is not None else ""
        password = await ask(f"{why}password of the room: ")
        if password is None:
            return end
        join = _with_password(join, password)


def _with_password(join: Join, password: str) -> Join:
    """Return `join` with the password of a room that is there: the settings lock no new one."""
    fields = {name: getattr(join, name) for name in join.model_fields_set}
    if join.settings is not None:
        named = join.settings.model_fields_set - {"password"}
        fields["settings"] = settings_of(**{name: getattr(join.settings, name) for name in named})
    given = {name: value for name, value in fields.items() if value is not None}
    return Join.model_validate(given | {"password": password})
