"""The papers about packages and security agree with what there is."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
THREATS = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
LICENCES = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
SHIPPED = ("protocol", "server", "client")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(*groups: list[str]) -> set[str]:
    """The names of the packages in lists of requirements."""
    found = (re.match(r"[\w.-]+", line) for group in groups for line in group)
    return {normal(match[0]) for match in found if match}


def test_the_lock_has_a_hash_for_each_package() -> None:
    lines = re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE)
    entries = re.split(r"\n(?=\S)", lines.replace("\\\n", " ").strip())
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+ [^#]*--hash=sha256:[0-9a-f]{64}", entry), entry[:80]


def test_the_lock_names_no_place() -> None:
    assert "://" not in LOCK
    assert "--index" not in LOCK
    assert "--find" not in LOCK


def test_the_lock_has_all_that_ci_installs() -> None:
    locked = {normal(name) for name in re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE)}
    extras = PROJECT["optional-dependencies"]
    assert required(PROJECT["dependencies"], extras["test"], extras["release"]) <= locked


def test_each_requirement_has_its_licence_on_the_page() -> None:
    optional = PROJECT["optional-dependencies"]
    extras = (optional[name] for name in ("images", "oidc", "postgres", "push", "rl", "solver"))
    asked = required(PROJECT["dependencies"], *extras)
    told = {normal(name) for name in re.findall(r"^\| `([\w.-]+)`", LICENCES, re.MULTILINE)}
    assert told == asked


def test_the_wheel_holds_no_code_of_others() -> None:
    files = [
        path
        for folder in SHIPPED
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".js", ".css", ".html", ".svg", ".json"}
    ]
    assert len(files) > 100
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"copyright|@license|SPDX-License|\(c\) ?20", text, re.IGNORECASE), (
            path
        )


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([\w/]+\.py(?:::\w+)?)`", THREATS))))
def test_each_test_that_a_threat_names_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    source = (ROOT / "tests" / path).read_text(encoding="utf-8")
    assert not name or re.search(rf"^(async )?(def|class) {name}\b", source, re.MULTILINE)


def test_each_threat_names_a_test() -> None:
    rows = re.findall(r"^\| (?:an?|the) .*$", THREATS, re.MULTILINE)
    assert len(rows) > 10
    for row in rows:
        assert re.search(r"\.py(::\w+)?`", row.rpartition(" | ")[2]), row
