"""Compiles the path of a move, as the wheel is built.

It is the same modules, without the interpreter between their lines: a move costs a sixth less, the
kernel's part and all (`docs/performance.md`). mypyc makes C of what mypy has checked, and each
module stays beside its library, for whoever reads it. What is not on that path stays as it is.

Where it cannot be done the wheel is plain Python, which does the same; an editable install always
is. `TTT_COMPILE=0` does not try, and with `TTT_COMPILE=1` a build that fails is a failure.
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

_SWITCH = "TTT_COMPILE"
_NEEDS = "it takes a C compiler, Python's headers, mypy, setuptools and what the server depends on"
_LIBRARY = f"*{sysconfig.get_config_var('EXT_SUFFIX')}"


class NotCompiled(Exception):
    """Why not."""


class CompiledPath(BuildHookInterface[BuilderConfig]):
    """What hatchling calls before and after it makes the wheel."""

    _folder: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wish = os.environ.get(_SWITCH)
        if version == "editable" or wish == "0" or (wish != "1" and sys.platform != "linux"):
            return
        self._folder = TemporaryDirectory(prefix="ttt-rooms-")
        folder = Path(self._folder.name)
        try:
            self._compile(folder)
        except NotCompiled as reason:
            if wish == "1":
                raise
            self.app.display_warning(f"not compiled, which costs speed and nothing else: {reason}")
            return
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
        """Makes the libraries, in a copy of the packages.

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
        names = [module.removesuffix(".py").replace("/", ".") for module in modules]
        # Without a file of settings: mypy looks for one in the folders above, which are anybody's.
        _run(folder, "-m", "mypyc", "--config-file=", "--ignore-missing-imports", *modules)
        _run(folder, "-c", f"import {', '.join(names)}")


def _run(folder: Path, *arguments: str) -> None:
    """Runs this Python.

    Raises:
        NotCompiled: if that fails.
    """
    done = subprocess.run(  # noqa: S603 - nothing of anybody's
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
