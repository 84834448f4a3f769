"""Names that look alike are one name. Pure."""

from typing import Final

from ttt_protocol.commands import UNNAMED
from ttt_protocol.text import look

SOMEBODY: Final = "somebody"
"""The name of those who were forgotten."""


def skeleton(name: str) -> str:
    """Return what all names that look like this one have in common."""
    return look(name)


_NOT_KEPT: Final = frozenset(map(skeleton, (UNNAMED, SOMEBODY)))


def may_be_kept(name: str) -> bool:
    """Return whether a name can be one person's: `guest` and the like are everybody's."""
    return skeleton(name) not in _NOT_KEPT
