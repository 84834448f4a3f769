// The boards of a player with several games at once, as in a simul. Each stays entered, because a player
// who is not in the room counts as absent; the page goes on to the next board that waits for a move.

import { t } from "../../model/language.js";
import { EMPTY_VIEW, fold, isYourTurn } from "../../model/state.js";
import { eventPage, roomPage } from "../../net/address.js";
import { Session } from "../../net/session.js";
import { h, setText } from "../dom.js";

const LOOK_MS = 1_000; // at one's own move
const END_MS = 4_000; // at the end of a game

export class OwnBoards {
  element = h("a", { class: "button main", hidden: true });
  #event;
  #views = new Map();
  #here = EMPTY_VIEW;
  #goal = null;
  #going = null;

  /** `rooms`: those of the boards, in their order; `here`: that of this page, which enters it itself. */
  constructor(event, rooms, here) {
    this.#event = event;
    const at = rooms.indexOf(here);
    for (const room of [...rooms.slice(at + 1), ...rooms.slice(0, Math.max(at, 0))]) this.#enter(room);
  }

  /** Show what waits elsewhere, and go there when nothing is to be done on this page's board. */
  follow(view) {
    this.#here = view;
    const waiting = [...this.#views].filter(([, other]) => isYourTurn(other)).map(([room]) => room);
    this.element.hidden = waiting.length === 0;
    if (waiting.length) this.element.href = roomPage(waiting[0]);
    setText(this.element, t("tournament.next_board", { count: waiting.length }));
    this.#head(this.#destination(waiting));
  }

  #enter(room) {
    this.#views.set(room, EMPTY_VIEW);
    const session = new Session(room, {
      onMessage: (message) => this.#hear(room, message),
      onOutside: () => this.#views.delete(room),
      onState: () => {}, // the connection of this page's board tells
      onNote: () => {},
      name: () => "",
    });
    session.enter();
  }

  #hear(room, message) {
    this.#views.set(room, fold(this.#views.get(room) ?? EMPTY_VIEW, message, performance.now()));
    this.follow(this.#here);
  }

  #destination(waiting) {
    const { room, pending } = this.#here;
    if (!room || pending || isYourTurn(this.#here)) return null;
    if (waiting.length) return roomPage(waiting[0]);
    const isUnderWay = [...this.#views.values()].some((other) => other.room?.status === "playing");
    return room.game?.outcome && !isUnderWay ? eventPage(this.#event) : null;
  }

  #head(goal) {
    if (goal === this.#goal) return;
    this.#goal = goal;
    clearTimeout(this.#going);
    if (goal === null) return;
    const look = this.#here.room.game?.outcome ? END_MS : LOOK_MS;
    this.#going = setTimeout(() => {
      if (document.activeElement?.value) this.#goal = null; // no words that are being typed are lost
      else location.assign(goal);
    }, look);
  }
}
