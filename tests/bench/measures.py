"""How large the source is, and how long the path of a move: a table, with a column a checkout.

python -m tests.bench.measures ../before .

code lines                  outside tests; no docstrings, comments and blank lines
files, helpers of a move    as docs/architecture.md tells its path; a test holds it to a trace
calls, opcodes of a move    traced in our packages on this interpreter; others differ
definitions of an event     the most classes with the name of one of `ttt_protocol.events`
class names with two meanings
                            public names that two modules give to classes of their own;
                            and those of them that one package has twice
"""

import argparse
import ast
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PACKAGES: Final = ("protocol", "server", "client")
"""The folders of the packages: `server/ttt_engine`, `server/ttt_server` and so on."""
TRACE: Final = Path(__file__).parents[1] / "integration" / "trace_move.py"
_NO_CODE: Final = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(source: bytes) -> int:
    """Return the lines of code: no docstrings, comments and blank lines."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = {
        line
        for token in tokenize.tokenize(io.BytesIO(source).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


_NO_SOURCES = {"tests", "build", "dist", "node_modules"}


def sources(checkout: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and text of each Python file outside the tests, in order."""
    for path in sorted(checkout.rglob("*.py")):
        parts = path.relative_to(checkout).parts
        if not any(part in _NO_SOURCES or part.startswith(".venv") for part in parts):
            yield "/".join(parts), path.read_bytes()


def class_names(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Return the files that define each public class, by its name."""
    found = defaultdict(list)
    for name, source in files.items():
        if name.startswith(PACKAGES) and "/examples/" not in name:
            for node in ast.parse(source).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(name)
    return found


def is_double_in_a_package(files: Sequence[str]) -> bool:
    return max(Counter(file.split("/")[1] for file in files).values()) > 1


def path_of_a_move(page: str) -> tuple[int, int]:
    """Return the files that a move crosses, and those of its helpers, as the page tells them."""
    path, parts = (_files_in(page, block) for block in ("path", "parts"))
    return len(path), len(parts - path)


def _files_in(page: str, block: str) -> set[str]:
    _, _, after = page.partition(f"<!-- {block} -->")
    return set(re.findall(r"[\w/]+\.py", after.partition("<!-- end -->")[0]))


def traced(checkout: Path) -> tuple[int, Counter[str]] | None:
    """Return the calls of one move, and its opcodes by part; `None` if it cannot be traced."""
    folders = os.pathsep.join(str(checkout / name) for name in PACKAGES)
    with TemporaryDirectory() as data:
        done = subprocess.run(
            (sys.executable, str(TRACE), data),
            env={**os.environ, "PYTHONPATH": folders},
            capture_output=True,
            check=False,
        )
    if done.returncode:
        return None
    counted = json.loads(done.stdout)
    parts = Counter[str]()
    for file, opcodes in counted["opcodes"].items():
        parts[file.split("/")[0]] += opcodes
    return len(counted["calls"]), parts


def _of_rooms(files: Sequence[str]) -> list[str]:
    """Return the files of the protocol and of the rules of rooms."""
    return [name for name in files if name.startswith(("protocol/", "server/ttt_server/core/"))]


def measures(checkout: Path) -> dict[str, str]:
    """Return the figures of a checkout, by their names."""
    files = dict(sources(checkout))
    names = class_names(files)
    double = {name: found for name, found in names.items() if len(found) > 1}
    in_one = sum(map(is_double_in_a_package, double.values()))
    events = class_names({"protocol/": files["protocol/ttt_protocol/events.py"]})
    move = path_of_a_move((checkout / "docs" / "architecture.md").read_text(encoding="utf-8"))
    cost = traced(checkout)
    return {
        "code lines": f"{sum(map(code_lines, files.values())):,}",
        "files, helpers of a move": "{}, {}".format(*move),
        "calls, opcodes of a move": "?" if cost is None else f"{cost[0]}, {cost[1].total()}",
        "definitions of an event": str(max(len(_of_rooms(names[name])) for name in events)),
        "class names with two meanings": str(len(double)),
        "… in one package": str(in_one),
    }


def _parts(checkout: Path) -> dict[str, str]:
    found = traced(checkout)
    if found is None:
        return {}
    return {part: str(opcodes) for part, opcodes in found[1].most_common()}


def table(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return the figures as a table in Markdown, with a column for each checkout."""
    lines = [["measure", *columns], ["---", *("---:" for _ in columns)]]
    names = next(iter(columns.values()))
    lines += ([name, *(column.get(name, "") for column in columns.values())] for name in names)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the source of checkouts.")
    parser.add_argument("checkout", type=Path, nargs="*", default=[Path()])
    parser.add_argument("--parts", action="store_true", help="the opcodes of a move by part")
    parser.add_argument("--names", action="store_true", help="list the class names of two meanings")
    options = parser.parse_args(arguments)
    if options.parts:
        print(table({str(path): _parts(path.resolve()) for path in options.checkout}))
        return
    print(table({str(path): measures(path.resolve()) for path in options.checkout}))
    if options.names:
        for name, files in sorted(class_names(dict(sources(options.checkout[-1]))).items()):
            if len(files) > 1:
                mark = "!" if is_double_in_a_package(files) else " "
                print(f"{mark} {name:<16} {' '.join(files)}")


if __name__ == "__main__":
    main()
