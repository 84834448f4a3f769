"""How fast the server is.

    python -m tests.bench                       all
    python -m tests.bench --quick               whether it works, in half a minute
    python -m tests.bench --only play paced     some of it

The real server runs with raised limits and a new data folder, on a processor of its own where the
system can; the load comes over real WebSockets from another process. Cases take turns, round after
round: what is shown is the median, and the least and the largest. A machine that is shared is fast
and slow by turns, so that only the ratios (the last column, within a round) can be relied on.

What is measured can be kept, added to, and shown again:

    python -m tests.bench --json --only play >> bench.jsonl
    python -m tests.bench --from bench.jsonl --plot .
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tests.bench import processors, report
from tests.bench.generator import LoadFailed
from tests.bench.machine import this_machine
from tests.bench.plan import QUICK, Plan
from tests.bench.plot import plots, svg
from tests.bench.rows import Machine, Row, read
from tests.bench.server import NotStarted, descendants, ours
from tests.bench.subjects import SUBJECTS

_SIZES: Final = ("rounds", "seconds", "rooms", "paced_rooms", "spectators", "connections")


def _parser() -> argparse.ArgumentParser:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=about,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what is measured")
    what.add_argument(
        "--only", nargs="+", choices=SUBJECTS, metavar="SUBJECT", help=", ".join(SUBJECTS)
    )
    what.add_argument("--quick", action="store_true", help="small, and one round")
    what.add_argument("--rounds", type=int, help=f"of each case (default: {Plan.rounds})")
    what.add_argument("--seconds", type=float, help=f"of each round (default: {Plan.seconds:g})")
    for name, of in (
        ("rooms", "play"),
        ("paced_rooms", "paced"),
        ("spectators", "fan-out"),
    ):
        default = " ".join(map(str, getattr(Plan, name)))
        what.add_argument(
            f"--{name.replace('_', '-')}",
            type=int,
            nargs="+",
            metavar="N",
            help=f"sizes of {of} (default: {default})",
        )
    what.add_argument(
        "--connections", type=int, metavar="N", help=f"for memory (default: {Plan.connections})"
    )
    what.add_argument("--server", metavar="COMMAND", help="another server than the installed one")
    what.add_argument("--data", type=Path, metavar="FOLDER", help="a disk; else that of /tmp")
    shown = parser.add_argument_group("how it is shown")
    shown.add_argument("--json", action="store_true", help="a line a round, as it comes")
    shown.add_argument("--markdown", action="store_true", help="tables for a page")
    shown.add_argument("--page", type=Path, metavar="FILE", help="renews the tables of this page")
    shown.add_argument("--plot", type=Path, metavar="FOLDER", help="writes two pictures there")
    shown.add_argument(
        "--from", type=Path, dest="kept", metavar="FILE", help="measures nothing: shows kept lines"
    )
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    sizes: dict[str, Any] = dict(QUICK) if options.quick else {}
    for name in _SIZES:
        given = getattr(options, name)
        if given is not None:
            sizes[name] = tuple(given) if isinstance(given, list) else given
    return replace(Plan(options.server or ours(), options.data), **sizes)


def _measured(options: argparse.Namespace) -> Iterator[Row]:
    plan = _plan(options)
    for name in options.only or SUBJECTS:
        _tell(f"{name}: {SUBJECTS[name].__doc__}")
        for row in SUBJECTS[name](plan):
            case = ", ".join(f"{key} {value}" for key, value in row.case.items())
            _tell(f"  round {row.round + 1}: {case}")
            yield row


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)


def _show(rows: Sequence[Row], machine: Machine | None, options: argparse.Namespace) -> None:
    where = machine.text() if machine else ""
    tables = report.by_table(rows)
    if options.plot:
        for name, drawn in plots(rows).items():
            (options.plot / name).write_text(svg(drawn))
    if options.page:
        renewed = {name: report.markdown(lines) for name, lines in tables.items()}
        page = options.page.read_text()
        options.page.write_text(report.renewed(page, {"machine": where} | renewed))
    if options.json:
        return
    print(where)
    for name, lines in tables.items():
        title = report.TABLES[name].title
        if options.markdown:
            print(f"\n### {title}\n\n{report.markdown(lines)}")
        else:
            print(f"\n{name}: {report.plain(title, lines)}")


def _run(options: argparse.Namespace) -> int:
    if options.kept:
        with options.kept.open() as lines:
            rows, machine = read(lines)
    else:
        rows, machine = list[Row](), this_machine()
        if options.json:
            print(machine.line(), flush=True)
        if not processors.ARE_APART:
            _tell("one processor for both: the server and its load are in each other's way")
        if sys.platform != "linux":
            _tell("this system does not tell of another process: no CPU, no memory")
        for row in _measured(options):
            rows.append(row)
            if options.json:
                print(row.line(), flush=True)
    _show(rows, machine, options)
    wrong = sum(row.faults for row in rows)
    if wrong:
        _tell(f"{wrong} faults: what was measured there is worth nothing")
    return 1 if wrong else 0


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        return _run(options)
    except (LoadFailed, NotStarted) as wrong:
        _tell(f"tests.bench: {wrong}")
        return 1
    except KeyboardInterrupt:
        for pid in descendants(os.getpid()):  # one that was only just being started
            os.kill(pid, signal.SIGKILL)
        _tell("tests.bench: interrupted")
        return 130


if __name__ == "__main__":
    # Both end it, also where a shell started it in the background; whatever runs is ended with it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    processors.give_to_load(os.getpid())  # to look at the clock must not cost the server anything
    sys.exit(main())
