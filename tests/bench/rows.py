"""What was measured, as values, and as lines of JSON. Pure."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

Case = Mapping[str, str | int]
"""What was measured: `{"rooms": 50, "server": "as it comes"}`."""


@dataclass(frozen=True)
class Row:
    """One round of one case. A figure that is not known on this system is nan, and left out."""

    table: str
    case: Case
    round: int
    figures: Mapping[str, float]
    faults: int = 0

    def line(self) -> str:
        figures = {name: value for name, value in self.figures.items() if math.isfinite(value)}
        return json.dumps(asdict(self) | {"figures": figures})


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    processor: str
    processors: int
    system: str
    python: str
    versions: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """In a sentence."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        processors = f"{self.processors} processors ({self.processor})"
        return f"{processors}, {self.system}, {self.python}, {versions}."

    def line(self) -> str:
        return json.dumps({"machine": asdict(self)})


def read(lines: Iterable[str]) -> tuple[list[Row], Machine | None]:
    """The rows of one or more runs, and the machine of the last."""
    rows, machine = list[Row](), None
    for line in lines:
        parsed = json.loads(line)
        if "machine" in parsed:
            machine = Machine(**parsed["machine"])
        else:
            rows.append(Row(**parsed))
    return rows, machine
