"""Check that a CycloneDX bill of materials names a wheel and each package that the wheel needs.

Arguments: the bill, and the wheel.
"""

import json
import re
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement


def normal(name: str) -> str:
    """Return the name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


bill = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
if bill["bomFormat"] != "CycloneDX":
    sys.exit("this is no bill of materials")
with zipfile.ZipFile(sys.argv[2]) as wheel:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(wheel.read(name).decode())
asked = map(Requirement, metadata.get_all("Requires-Dist", ()))
needed = {normal(str(metadata["Name"]))} | {
    normal(one.name) for one in asked if not one.marker or one.marker.evaluate({"extra": ""})
}
there = {normal(component["name"]) for component in bill["components"]}
if missing := needed - there:
    sys.exit(f"the bill of materials lacks {', '.join(sorted(missing))}")
print(f"{len(there)} components, with all of {len(needed)} needed")  # noqa: T201 - a program
