"""A log without the name of somebody who is forgotten. Pure."""

from collections.abc import Callable
from functools import partial
from json import dumps, loads
from typing import Any

from ttt_protocol.state import PersonId

Rewrite = Callable[[bytes], bytes]
"""Returns an event or a saved room in other words; the same bytes if nothing is to change."""


def without(person: PersonId, name: str, instead: str) -> Rewrite:
    """Return what takes a person out of the events and saved rooms of a log.

    Args:
        person: whose id and name go.
        name: the one that was kept.
        instead: stands for the name.
    """
    traces = dumps(person).encode(), dumps(name, ensure_ascii=False).encode()
    return partial(_rewritten, person, name, instead, traces)


def _rewritten(
    person: PersonId, name: str, instead: str, traces: tuple[bytes, ...], text: bytes
) -> bytes:
    if not any(trace in text for trace in traces):
        return text
    found = loads(text)
    changed = _without(found, person, instead)
    if changed.get("type") == "renamed" and changed.get("name") == name:
        changed["name"] = instead
    if changed == found:
        return text
    return dumps(changed, ensure_ascii=False, separators=(",", ":")).encode()


def _without(value: Any, person: PersonId, instead: str) -> Any:
    """Return a value of JSON with no player who is this person."""
    if isinstance(value, list):
        return [_without(each, person, instead) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("person") == person:
        value = {key: each for key, each in value.items() if key != "person"} | {"name": instead}
    return {key: _without(each, person, instead) for key, each in value.items()}
