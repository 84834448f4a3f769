"""Where this runs."""

import os
import platform
import re
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.rows import Machine


def this_machine() -> Machine:
    return Machine(
        processor=_processor(),
        processors=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        versions={name: _version(name) for name in ("websockets", "pydantic", "uvloop")}
        | {"SQLite": sqlite3.sqlite_version},
    )


def _processor() -> str:
    try:
        told = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except FileNotFoundError:
        told = None
    return told[1] if told else platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
