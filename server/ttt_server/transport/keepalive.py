"""Whether peers are still there: each is asked now and then, and has a while to answer.

The library does this with a task and a timer for each connection, which is a tenth of its memory.
"""

from typing import Protocol

from ttt_server.concurrency.deadlines import Deadlines


class Mortal(Protocol):
    """What is to be known of a peer here."""

    def ask(self) -> bool:
        """Sends a ping; false if there is nobody left to ask."""

    def presume_dead(self) -> None: ...


class Keepalive:
    """Asks each peer `interval_s` after its last answer; it has `timeout_s` for the next."""

    def __init__(self, interval_s: float, timeout_s: float) -> None:
        self._alive: Deadlines[Mortal] = Deadlines(interval_s, self._ask)
        self._asked: Deadlines[Mortal] = Deadlines(timeout_s, _presume_dead)

    def begin(self, peer: Mortal) -> None:
        self._alive.add(peer)

    def end(self, peer: Mortal) -> None:
        self._alive.discard(peer)
        self._asked.discard(peer)

    def answered(self, peer: Mortal) -> None:
        """It sent a pong, be it that it was asked or not."""
        if peer in self._asked:
            self._asked.discard(peer)
            self._alive.add(peer)

    def _ask(self, peer: Mortal) -> None:
        if peer.ask():
            self._asked.add(peer)


def _presume_dead(peer: Mortal) -> None:
    peer.presume_dead()
