"""What one connection has said and nobody has heard yet, message by message."""

from websockets.frames import Frame, Opcode


class MessageAssembler:
    """Whole messages, first in, first out; and the parts of one that is not whole yet."""

    __slots__ = ("_is_text", "_parts", "_whole")

    def __init__(self) -> None:
        self._whole: list[tuple[bool, bytes]] = []
        """Whether it is text, and the text or data."""
        self._parts: list[bytes] = []
        self._is_text = False

    def __len__(self) -> int:
        return len(self._whole)

    def put(self, frame: Frame) -> None:
        """Adds a part of a message, or a whole one, in the order that the library has checked."""
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self._parts.append(bytes(frame.data))
        if frame.fin:
            self._whole.append((self._is_text, b"".join(self._parts)))
            self._parts = []

    def take(self) -> str | bytes:
        """The message that has waited longest: text, or binary data.

        Raises:
            IndexError: if none waits.
            UnicodeDecodeError: for a text that is none.
        """
        is_text, data = self._whole.pop(0)
        return data.decode() if is_text else data
