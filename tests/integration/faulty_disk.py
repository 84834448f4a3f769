"""A disk that fails on demand, and what a power cut leaves of it; `faults.c` does the work."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.integration.programs import PATIENCE_S, eventually
from tests.integration.tools import found

_SOURCE = Path(__file__).parent / "faults.c"


def build(folder: Path) -> Path:
    """Compile the library with the system's compiler; without one the test ends."""
    library = folder / "faults.so"
    command = (found("cc"), "-O2", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl")
    subprocess.run(command, check=True)
    return library


@dataclass(frozen=True)
class FaultyDisk:
    """The disk of one server."""

    library: Path
    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a server on this disk."""
        self._disk.mkdir(exist_ok=True)
        return {
            "LD_PRELOAD": str(self.library),
            "TTT_FAULTS": str(self._control),
            "TTT_DISK": str(self._disk),
        }

    def fail(self, fault: str) -> None:
        """Let calls fail from now on: "fdatasync log 5 once"."""
        draft = self.folder / "draft"
        draft.write_text(fault)
        draft.rename(self._control)

    def heal(self) -> None:
        self._control.unlink(missing_ok=True)

    async def failed(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until a fault for one call was met."""

        async def is_met() -> bool:
            return not self._control.exists()

        await eventually(is_met, patience_s)

    def after_a_power_cut(self, data: Path, to: Path) -> Path:
        """Return a data folder with what was synced; the server has ended."""
        shutil.copytree(data, to, ignore=shutil.ignore_patterns("control"))
        for name in ("ttt.sqlite3", "ttt.sqlite3-wal"):
            (to / name).unlink(missing_ok=True)
            if (self._disk / name).exists():
                shutil.copy(self._disk / name, to / name)
        return to

    @property
    def _control(self) -> Path:
        return self.folder / "fault"

    @property
    def _disk(self) -> Path:
        return self.folder / "disk"
