"""The plug-ins of a group of entry points."""

from collections.abc import Container
from importlib import metadata


def entry_points_of(group: str, own: Container[str]) -> dict[str, metadata.EntryPoint]:
    """Return the entry points of a group by name, but none with a name of ours.

    The first of two with the same name counts. The scan reads the metadata of every installed
    package: keep what it finds.
    """
    found: dict[str, metadata.EntryPoint] = {}
    for entry_point in metadata.entry_points(group=group):
        if entry_point.name not in own:
            found.setdefault(entry_point.name, entry_point)
    return found
