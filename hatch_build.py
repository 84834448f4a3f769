"""Compiles the path of a move, as the wheel is built.

It is the same modules, without the interpreter between their lines: what a move costs the server
apart from the kernel goes down by a quarter. mypyc makes C of what mypy has checked, and each
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

SWITCH = "TTT_COMPILE"

_LIBRARY = f"*{sysconfig.get_config_var('EXT_SUFFIX')}"


class NotCompiled(Exception):
    """Why not."""


class CompiledPath(BuildHookInterface[BuilderConfig]):
    """What hatchling calls before and after it makes the wheel."""

    _folder: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wish = os.environ.get(SWITCH)
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
        for source in self.build_config.builder.recurse_included_files():
            copy = folder / source.distribution_path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.path, copy)
        command = sys.executable, "-m", "mypyc", "--ignore-missing-imports", *self.config["modules"]
        try:
            subprocess.run(  # noqa: S603 - nothing of anybody's
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            raise NotCompiled(error.stdout[-2000:]) from None
