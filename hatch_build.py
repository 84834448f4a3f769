"""Compiles the modules that time is spent in, if `TTT_COMPILE=1` is set while the wheel is built.

mypyc makes C of the modules that `pyproject.toml` lists, which mypy has checked. The wheel holds
both the libraries and the sources; `docs/decisions/compiling.md` has the figures. A build that
cannot compile fails. Without the variable the wheel is plain Python, and the build needs neither a
compiler nor any other package. An editable install is always plain.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SETTINGS = "mypy.ini"
_SWITCH = "TTT_COMPILE"
_NEEDS = "it takes a C compiler, Python's headers, mypy, setuptools and what the server depends on"
_COMPILER = ("mypy>=1.18", "setuptools>=70")
_LIBRARY = f"*{sysconfig.get_config_var('EXT_SUFFIX')}"


class NotCompiled(Exception):
    """The wheel cannot be compiled; the message is for the person who builds it."""


class CompiledPath(BuildHookInterface[BuilderConfig]):
    """The hook that hatchling calls before and after it makes the wheel."""

    _folder: TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """Return the packages that the build needs: mypyc reads our requirements' types."""
        if not _is_wished():
            return []
        return [*_COMPILER, *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not _is_wished():
            return
        self._folder = TemporaryDirectory(prefix="ttt-rooms-")
        folder = Path(self._folder.name)
        self._compile(folder)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"] |= {
            str(library): str(library.relative_to(folder))
            for pattern in (_LIBRARY, f"ttt_*/**/{_LIBRARY}")
            for library in folder.glob(pattern)
        }

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if self._folder is not None:
            self._folder.cleanup()

    def _compile(self, folder: Path) -> None:
        """Make the libraries in a copy of the packages.

        Raises:
            NotCompiled: if they cannot be made here.
        """
        try:
            for source in self.build_config.builder.recurse_included_files():
                copy = folder / source.distribution_path
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source.path, copy)
        except OSError as error:
            raise NotCompiled(str(error)) from None
        modules = self.config["modules"]
        if missing := ", ".join(one for one in modules if not (folder / one).is_file()):
            raise NotCompiled(f"pyproject.toml lists modules that do not exist: {missing}")
        names = [module.removesuffix(".py").replace("/", ".") for module in modules]
        # Its own settings: mypy would search the parent folders for others.
        (folder / _SETTINGS).write_text("[mypy]\nplugins = pydantic.mypy\n")
        options = f"--config-file={_SETTINGS}", "--ignore-missing-imports"
        _run(folder, "-m", "mypyc", *options, *modules)
        _run(folder, "-c", f"import {', '.join(names)}")


def _is_wished() -> bool:
    wish = os.environ.get(_SWITCH, "")
    if wish not in {"", "0", "1"}:
        raise NotCompiled(f"{_SWITCH} is {wish!r}: it must be 0 or 1")
    return wish == "1"


def _run(folder: Path, *arguments: str) -> None:
    """Run this Python in the folder.

    Raises:
        NotCompiled: if that fails.
    """
    done = subprocess.run(  # noqa: S603 - arguments of ours
        (sys.executable, *arguments),
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("MYPY")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise NotCompiled(f"{_NEEDS}; it said:\n{done.stdout[-2000:]}")
