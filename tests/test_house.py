"""Rules of the source tree that neither ruff nor import-linter can hold."""

from pathlib import Path

from tests.bench.measures import class_names, is_double_in_a_package, sources

ROOT = Path(__file__).parents[1]
PACKAGES = (
    ROOT / "protocol/ttt_protocol",
    ROOT / "server/ttt_engine",
    ROOT / "server/ttt_server",
    ROOT / "client/ttt_client",
)
MODULES = [path for package in PACKAGES for path in package.rglob("*.py")]
MOST_DOUBLE_NAMES = 15
"""Public class names of two packages, as of the engine and of the wire."""
BOUNDARIES = {
    "ttt_server/ai/worker.py",  # the code of a plug-in
    "ttt_server/cli/variant.py",  # the same, which is checked
    "ttt_server/concurrency/guard.py",  # a bug of the server's own
    "ttt_server/rooms/change.py",  # a bug in a change, reported to its caller
    "ttt_server/storage/sqlite/store.py",  # the store's thread
    "ttt_server/transport/frames.py",  # a connection, for the others
    "ttt_server/transport/connection.py",  # an endpoint, for its connection
}


def test_broad_handlers_stand_at_named_boundaries() -> None:
    broad = {path for path in MODULES if "except Exception as" in path.read_text()}
    found = {str(path.relative_to(ROOT / "server")) for path in broad if "ttt_server" in path.parts}
    assert found == BOUNDARIES


def test_a_class_name_has_one_meaning() -> None:
    names = class_names(dict(sources(ROOT)))
    double = {name: files for name, files in names.items() if len(files) > 1}
    assert len(double) <= MOST_DOUBLE_NAMES, double
    assert not [name for name, files in double.items() if is_double_in_a_package(files)]
