"""Friendly names for players who give none: a mood or colour, and an animal. Pure."""

from random import Random

_FIRST = """
    Amber Brave Bright Calm Clever Coral Crimson Eager Gentle Golden Green Happy Indigo
    Jolly Lucky Merry Nimble Patient Quick Quiet Silver Sunny Violet Wise
""".split()  # noqa: SIM905 - a list has a line for each
_SECOND = """
    Badger Beaver Crane Dolphin Falcon Ferret Finch Fox Gecko Heron Ibex Koala Lemur Lynx
    Marten Newt Otter Owl Panda Puffin Robin Seal Tapir Wren
""".split()  # noqa: SIM905 - a list has a line for each


def friendly_name(random: Random) -> str:
    """Return a name such as "Amber Otter"; there are 576."""
    return f"{random.choice(_FIRST)} {random.choice(_SECOND)}"
