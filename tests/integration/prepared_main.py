"""The process that forks a program for each request: see `prepared`.

Call it with a socket's descriptor, the module that has `main`, and more modules to import first.
A request is JSON with four descriptors: the program's three streams, and a pipe for its state. The
state is two lines, the process id at the start, and at the end the status as `subprocess` has it.
"""

import gc
import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any


def serve(requests: socket.socket) -> dict[str, Any]:
    """Fork for each request until the socket is closed; in each fork return the request."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, 1 << 20, 4)
        if not request:
            sys.exit()
        if os.fork() == 0:
            requests.close()
            *streams, state = descriptors
            _let_run(streams, state)
            return dict(json.loads(request))
        for descriptor in descriptors:
            os.close(descriptor)
        with suppress(ChildProcessError):  # those that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _let_run(streams: list[int], state: int) -> None:
    """Return in a child; the process itself waits for its end, and tells it."""
    if pid := os.fork():
        for descriptor in streams:
            os.close(descriptor)
        os.write(state, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(state, b"%d\n" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    os.close(state)
    if os.isatty(streams[0]):
        os.login_tty(streams[0])
    else:
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
    for descriptor in streams:
        with suppress(OSError):  # the terminal's, which is closed
            os.close(descriptor)


def main(descriptor: str, module: str, *others: str) -> tuple[Callable[[], int | None], list[str]]:
    """Prepare and serve; return in each fork, with the function to call and the arguments."""
    run = import_module(module).main
    for other in others:
        import_module(other)
    gc.freeze()  # what all forks share stays shared
    request = serve(socket.socket(fileno=int(descriptor)))
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    exec(request["before"], {})  # noqa: S102 - of a test
    return run, request["arguments"]


if __name__ == "__main__":
    program, sys.argv = main(*sys.argv[1:])
    sys.exit(program())
