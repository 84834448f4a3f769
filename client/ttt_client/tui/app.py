"""The shell around the drawing: a terminal, its keys, and time. It shows one scene at a time."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.input import Input
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.key_binding.bindings.mouse import load_mouse_bindings, typical_mouse_events
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DynamicStyle, Style
from prompt_toolkit.utils import get_bell_environment_variable, get_term_environment_variable

from ttt_client.net.session import Ending
from ttt_client.tui.draw.canvas import Picture, Size
from ttt_client.tui.model.escapes import Escapes, Response
from ttt_client.tui.scenes.scene import Scene

_LOOKS = {
    # Only the terminal's own colours, and only those readable on every background: bright black is
    # the background in Solarized. A class that is not listed is drawn as usual.
    "bold": (
        *("place", "connecting", "last", "star", "between", "open", "age", "pointer", "to-move"),
        *("running", "outcome", "question", "key", "prompt", "typed", "slider", "knob"),
    ),
    "bold underline": ("best",),
    "reverse": ("header", "newest", "winning", "caret", "chosen"),
    "reverse bold": ("your-turn",),
    "italic": ("pending", "thought", "gone"),
    "ansired": ("away", "refused"),
    "ansired bold": ("lost", "low"),
    "ansimagenta bold": ("x",),
    "ansigreen bold": ("o",),
    "ansiblue bold": ("cursor",),
    "ansicyan": ("hint",),
}
_DARK = {name: look for look, names in _LOOKS.items() for name in names}
_LIGHT = _DARK | {"o": "ansiblue bold", "cursor": "ansired bold", "hint": "ansiblue"}
"""Green and cyan are too pale on white."""

STYLE = Style.from_dict(_DARK)
LIGHT_STYLE = Style.from_dict(_LIGHT)


def is_light(reply: str) -> bool | None:
    """Return whether `11;rgb:ffff/ffff/dddd` is a light background; None for another reply."""
    number = "([0-9a-f]+)"
    found = re.fullmatch(rf"11;rgba?:{number}/{number}/{number}(?:/.*)?", reply.lower())
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5)


def color_depth() -> ColorDepth:
    """Return 16 colours of the terminal's own palette, or none."""
    return ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else ColorDepth.DEPTH_4_BIT


_SAME = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "delete", "escape")
_NAMED = {name: name for name in (*_SAME, "c-u", "c-w", "c-d", "c-r")}
_NAMED |= {"c-m": "enter", "c-j": "enter", "c-i": "tab", "c-h": "backspace"}
"""The names of keys, from the library's to this program's."""

_MOUSE = load_mouse_bindings().get_bindings_for_keys((Keys.Vt100MouseEvent,))[0]
_REPORT = re.compile(r"\x1b\[<?\d{1,5};\d{1,5};\d{1,5}[mM]")

INTERRUPTED = 130
_ASK_BACKGROUND = "\x1b]11;?\x07"


class Shell:
    """A terminal, from its first picture to its last."""

    def __init__(
        self,
        *,
        mouse: bool,
        theme: str = "dark",
        terminal_input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._scene: Scene | None = None
        self._style = LIGHT_STYLE if theme == "light" else STYLE
        self._asks_theme = theme == "auto" and os.environ.get("TERM") != "linux"
        self._was_your_turn = False
        self._title = ""
        self._stopped: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._changed = asyncio.Event()
        self._suspending: asyncio.Future[None] | None = None
        app: Application[None] = Application(
            layout=Layout(Window(_Control(self), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: self._style),
            mouse_support=mouse,
            full_screen=True,
            color_depth=color_depth(),
            input=_Input(self._hear) if terminal_input is None else terminal_input,
            output=_output() if output is None else output,
        )
        app.ttimeoutlen = 0.05  # the library's 0.5 s would hold back a lone Escape
        self._app = app

    def _hear(self, reply: str) -> None:
        """Take the terminal's answer about its background."""
        if (light := is_light(reply)) is not None and self._asks_theme:
            self._style = LIGHT_STYLE if light else STYLE
            self.changed()

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def show(self, scene: Scene) -> None:
        """Show another scene."""
        self._scene = scene
        self.changed()

    def changed(self) -> None:
        """Draw the scene again soon."""
        self._changed.set()
        self._app.invalidate()
        self._announce()

    def ring(self) -> None:
        """Ring the bell."""
        self._app.output.bell()
        self._app.output.flush()

    def stop(self, end: Ending) -> None:
        """End `run` with this result."""
        if not self._stopped.done():
            self._stopped.set_result(end)

    @property
    def parting(self) -> str | None:
        """The last words of a program that is stopped now."""
        return None if self._scene is None else self._scene.parting

    async def run(self, scene: Scene, work: Awaitable[Ending]) -> Ending:
        """Show scenes, beginning with this one, until `work` or `stop` ends it."""
        self._scene = scene
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._fail)
        if self._asks_theme:
            self._app.output.write_raw(_ASK_BACKGROUND)
        loop.add_signal_handler(signal.SIGTSTP, lambda: self._suspend(os.getpid()))
        async with asyncio.TaskGroup() as tasks:
            shown = tasks.create_task(
                self._app.run_async(set_exception_handler=False, handle_sigint=False)
            )
            ticking = tasks.create_task(self._tick())
            working = asyncio.ensure_future(work)
            try:
                ways: set[asyncio.Future[Any]] = {working, self._stopped, shown}
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                return await (self._stopped if self._stopped.done() else working)
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
                ticking.cancel()
                self._leave(shown)

    def _leave(self, shown: asyncio.Task[None]) -> None:
        if self._app.is_running and not shown.done():
            self._app.exit()
        else:
            shown.cancel()

    def _fail(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the program after an exception in a callback."""
        error = context.get("exception") or RuntimeError(context["message"])
        if not self._stopped.done():
            self._stopped.set_exception(error)

    async def _tick(self) -> None:
        while True:
            self._changed.clear()
            wait_s = None if self._scene is None else self._scene.tick(self.now)
            try:
                async with asyncio.timeout(wait_s):
                    await self._changed.wait()
            except TimeoutError:
                self._app.invalidate()

    def _announce(self) -> None:
        """Update the window title, and ring when the player's turn begins."""
        scene, output = self._scene, self._app.output
        if scene is None:
            return
        if scene.is_your_turn and not self._was_your_turn:
            output.bell()
        if scene.title != self._title:
            output.set_title(scene.title)
        self._was_your_turn, self._title = scene.is_your_turn, scene.title
        output.flush()

    def draw(self, size: Size) -> Picture:
        return Picture([]) if self._scene is None else self._scene.draw(size, self.now)

    def press(self, key: str) -> None:
        if self._scene is not None:
            if not self._scene.press(key, self.now):
                self.stop(Ending(0, self.parting))
            self.changed()

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        def press(name: str) -> Callable[[KeyPressEvent], None]:
            return lambda _: self.press(name)

        for key, name in _NAMED.items():
            bindings.add(key, eager=True)(press(name))
        bindings.add("c-c")(lambda _: self.stop(Ending(INTERRUPTED, self.parting)))
        bindings.add("c-z")(lambda _: self._suspend(0))
        bindings.add("c-l")(lambda event: event.app.renderer.clear())
        bindings.add(Keys.Vt100MouseEvent)(_mouse)
        bindings.add(Keys.Any)(self._press_any)
        bindings.add(Keys.BracketedPaste)(self._paste)
        return bindings

    def _suspend(self, process: int) -> None:
        """Restore the terminal and stop `process`, 0 for the whole group, until it is continued."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            loop.remove_signal_handler(signal.SIGTSTP)
            os.kill(process, signal.SIGTSTP)
            loop.add_signal_handler(signal.SIGTSTP, lambda: self._suspend(os.getpid()))

        self._suspending = asyncio.ensure_future(run_in_terminal(stop))

    def _press_any(self, event: KeyPressEvent) -> None:
        if event.data.isprintable():
            self.press(event.data)

    def _paste(self, event: KeyPressEvent) -> None:
        if self._scene is not None:
            self._scene.paste(event.data)
            self.changed()


class SafeParser(Vt100Parser):
    """The library's parser behind `Escapes`: it takes what it does not know for typed keys."""

    def __init__(
        self,
        feed_key_callback: Callable[[KeyPress], None],
        hear: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(feed_key_callback)
        self._escapes = Escapes(_is_known)
        self._hear = hear

    def feed(self, data: str) -> None:
        for token in self._escapes.feed(data):
            if isinstance(token, Response):
                self._hear(token.text)
            else:
                super().feed(token.text)

    def flush(self) -> None:
        for token in self._escapes.flush():
            super().feed(token.text)
        super().flush()


class _Input(Vt100Input):
    """The terminal's input with the safe parser."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__(sys.stdin)
        self.vt100_parser = SafeParser(self._buffer_key, hear)

    def _buffer_key(self, key: KeyPress) -> None:
        self._buffer.append(key)


class _Output(Vt100_Output):
    """The terminal's output; it asks for clicks, not for mouse movements."""

    def enable_mouse_support(self) -> None:
        self.write_raw("\x1b[?1000h\x1b[?1015h\x1b[?1006h")

    def disable_mouse_support(self) -> None:
        self.write_raw("\x1b[?1000l\x1b[?1015l\x1b[?1006l")


def _output() -> Output:
    term, enable_bell = get_term_environment_variable(), get_bell_environment_variable()
    return _Output.from_pty(sys.stdout, term=term, enable_bell=enable_bell)


def _is_known(sequence: str) -> bool:
    """Return whether a sequence is a key, or a report of the mouse."""
    return sequence in ANSI_SEQUENCES or _REPORT.fullmatch(sequence) is not None


class _Control(UIControl):
    """The drawing as an element of the library's layout, with the meaning of the mouse."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._picture = Picture([])

    def is_focusable(self) -> bool:
        return True

    def create_content(self, width: int, height: int) -> UIContent:
        self._picture = self._shell.draw(Size(width, height))
        lines = self._picture.lines
        return UIContent(lambda row: [*lines[row]], len(lines), show_cursor=False)

    def mouse_handler(self, mouse_event: MouseEvent) -> object:
        at = mouse_event.position
        key = self._picture.key_at(at.x, at.y)
        if key is None:
            return NotImplemented
        is_press = mouse_event.event_type is MouseEventType.MOUSE_DOWN
        if not is_press or mouse_event.button is not MouseButton.LEFT or mouse_event.modifiers:
            return NotImplemented
        self._shell.press(key)
        return None


def _mouse(event: KeyPressEvent) -> object:
    """Let the library handle a mouse report. It fails on what only looks like one: `ESC [ 31 m`."""
    data = event.data
    known = ord(data[3]) in typical_mouse_events if data[2] == "M" else _REPORT.fullmatch(data)
    return _MOUSE.handler(event) if known else NotImplemented
