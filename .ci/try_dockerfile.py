"""Run the steps of deploy/Dockerfile without a registry of images.

    python .ci/try_dockerfile.py FOLDER

COPY and RUN of each stage act below FOLDER in place of `/`, with a new virtual environment for the
image's Python; a step that makes the user of the container is passed over. At the end the entry
point tells its version.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

SOURCE = Path("deploy/Dockerfile")
OF_A_CONTAINER = "useradd ", "install -d -o "
ABSOLUTE = re.compile(r"(?<=[\s'=])/(?=[a-z])")


class Stage:
    """The file system of one stage, as far as the steps see it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        venv.create(root / "venv", with_pip=True)
        self._path = f"{root / 'venv' / 'bin'}:{os.environ['PATH']}"

    def copy(self, sources: list[Path], target: str) -> None:
        """Copy as COPY does: the content of a folder, and files into a folder."""
        place = self.root / target.lstrip("/")
        for source in sources:
            if source.is_dir():
                shutil.copytree(source, place)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)

    def run(self, command: str) -> None:
        """Run a command.

        Raises:
            subprocess.CalledProcessError: if it fails.
        """
        here = ABSOLUTE.sub(f"{self.root}/", f" {command}")
        environment = os.environ | {"PATH": self._path}
        subprocess.run(["/bin/bash", "-euc", here], env=environment, check=True)  # noqa: S603 - steps of ours


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    stages: dict[str, Stage] = {}
    lines = re.sub(r"^#.*\n", "", SOURCE.read_text(), flags=re.MULTILINE)
    for line in lines.replace("\\\n", " ").splitlines():
        step, _, rest = line.strip().partition(" ")
        match step:
            case "FROM":
                name = rest.partition(" AS ")[2] or "last"
                stage = stages[name] = Stage(root / name)
            case "COPY":
                *sources, target = rest.split()
                above = Path()
                if sources[0].startswith("--from="):
                    above = stages[sources.pop(0).removeprefix("--from=")].root
                stage.copy([above / source.lstrip("/") for source in sources], target)
            case "RUN":
                for command in rest.split("&&"):
                    if not command.strip().startswith(OF_A_CONTAINER):
                        stage.run(command)
            case "ENTRYPOINT":
                stage.run(f"{json.loads(rest)[0]} --version")
            case _:
                pass  # what the container is started with


main()
