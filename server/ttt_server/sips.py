"""How a peer is read: a little at a time, as the loop's own reads may hold 40 000 frames."""

from asyncio import BufferedProtocol, Protocol


class Sips(BufferedProtocol):
    """Reads for a peer."""

    __slots__ = ("_peer",)
    _buffer = bytearray(4096)  # one for all, as it is copied before anyone else is read

    def __init__(self, peer: Protocol) -> None:
        self._peer = peer

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - never more at once
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._peer.data_received(bytes(self._buffer[:nbytes]))

    def eof_received(self) -> bool | None:
        return self._peer.eof_received()

    def pause_writing(self) -> None:
        self._peer.pause_writing()

    def resume_writing(self) -> None:
        self._peer.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._peer.connection_lost(exc)
