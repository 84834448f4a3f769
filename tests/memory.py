"""A folder in memory for what tests write: files on a disk cost them far more CPU and time."""

import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - who writes there makes a folder of its own
_ROOM = 2 << 30
"""Bytes that are free there, or the disk is used."""


def folder() -> Path:
    """Return the folder for temporary files, in memory where that has room."""
    has_room = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    return _MEMORY if has_room else Path(tempfile.gettempdir())
