"""A player's part in an event as one scene: the event, and over it the board that is shown."""

from dataclasses import replace

from ttt_client.tui.draw.canvas import Picture, Size
from ttt_client.tui.model.own_boards import OwnBoards
from ttt_client.tui.scenes.event import EventScene
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.state import RoomName

_STEPS = {"[": -1, "]": 1}


class OwnBoardsScene(Scene):
    """The scene of an event whose player goes from board to board.

    All boards are open at once. The one that waits for the player is shown, and then the next.
    """

    def __init__(self, event: EventScene, stage: Stage) -> None:
        super().__init__(stage)
        self._event = event
        self._scenes: dict[RoomName, RoomScene] = {}
        self._since: dict[RoomName, tuple[object, float]] = {}
        """The position on each board, and the time since which it is there."""
        self._boards = OwnBoards()
        self._announced: tuple[str, ...] = ()
        self._pressed: RoomScene | None = None
        """The board that had the last key."""

    def add(self, room: RoomName, scene: RoomScene) -> None:
        """Add the board of a game that begins."""
        self._scenes[room] = scene
        self.look()

    def remove(self, room: RoomName) -> None:
        """Remove a board whose game is over or whose room was left."""
        del self._scenes[room]
        self._since.pop(room, None)
        self.look()

    def look(self) -> None:
        """Update all boards after one of them, or the event, has changed."""
        now, waits = self._clock(), {}
        for room, scene in self._scenes.items():
            position, since = self._since.get(room, (None, now))
            if scene.position != position:
                since = now
            self._since[room] = scene.position, since
            waits[room] = since if scene.is_your_turn else None
        over = [room for room, scene in self._scenes.items() if scene.is_over]
        self._boards = self._boards.now(waits, over, now)
        self._event.count_boards(len(self._scenes))
        self._tell_boards()
        self._changed()

    def _tell_boards(self) -> None:
        """Pass the state and announcements of the event to the boards."""
        occasion, event = self._event.occasion, self._event.screen.event
        if occasion is None or event is None:
            return
        under_way = [scene for scene in self._scenes.values() if not scene.is_over]
        occasion = replace(occasion, boards=len(under_way), waiting=self._boards.waiting)
        for scene in self._scenes.values():
            number = under_way.index(scene) + 1 if scene in under_way else None
            scene.belong(replace(occasion, number=number))
        told, self._announced = self._announced, event.announcements
        for text in event.announcements:
            for scene in self._scenes.values() if text not in told else ():
                scene.say(f"* {text}")

    @property
    def _shown(self) -> EventScene | RoomScene:
        room = self._boards.shown
        return self._event if room is None else self._scenes[room]

    def draw(self, size: Size, now: float) -> Picture:
        return self._shown.draw(size, now)

    def press(self, key: str, now: float) -> bool:
        shown = self._shown
        if isinstance(shown, EventScene):
            act = shown.act(key)
            if act == "play":
                self._boards = self._boards.look_at_boards()
            return act != "quit"
        before, self._pressed = self._pressed, shown
        if key == "enter" and before is not None and before is not shown and before.inputs.named:
            # The Enter of a cell that was typed on the board before is none on this one.
            before.inputs = replace(before.inputs, named="")
            return True
        if shown.is_idle and key == "E":
            self._event.refresh()
            self._boards = self._boards.look_at_event()
            return True
        if shown.is_idle and key in _STEPS:
            self._boards = self._boards.step(_STEPS[key])
            return True
        return shown.press(key, now)

    def paste(self, text: str) -> None:
        self._shown.paste(text)

    def tick(self, now: float) -> float | None:
        is_free = isinstance(self._shown, EventScene) or self._shown.is_idle
        due = self._boards.changes_at if is_free else None
        if due is not None and now >= due:
            self._boards = self._boards.followed(now)
            self._changed()
            due = None
        waits = [self._shown.tick(now), None if due is None else max(0.02, due - now)]
        return min((wait_s for wait_s in waits if wait_s is not None), default=None)

    @property
    def title(self) -> str:
        return self._shown.title

    @property
    def is_your_turn(self) -> bool:
        return any(scene.is_your_turn for scene in self._scenes.values())

    @property
    def parting(self) -> str | None:  # type: ignore[override]  # computed
        return self._event.parting
