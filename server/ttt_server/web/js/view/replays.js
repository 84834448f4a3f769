// Links to the finished games of a room.

import { t } from "../model/language.js";
import { seatOf } from "../model/state.js";
import { gamePage } from "../net/address.js";
import { h } from "./dom.js";

const MOST_SHOWN = 10;

export class Replays {
  #room;
  #shown = 0;

  constructor(room) {
    this.#room = room;
    this.element = h("p", { class: "games", hidden: true });
  }

  /** The games of a room that is not for all are for its players. */
  show(view) {
    const { game, locked, settings } = view.room;
    const isForAll = !locked && settings.spectators;
    const over = game ? game.number - (game.outcome ? 0 : 1) : 0;
    const shown = isForAll || seatOf(view) ? over : 0;
    this.element.hidden = shown === 0;
    if (this.#shown === shown) return;
    this.#shown = shown;
    const first = Math.max(1, shown - MOST_SHOWN + 1);
    const numbers = Array.from({ length: shown - first + 1 }, (_, index) => first + index);
    const link = (number) => h("a", { href: gamePage(this.#room, number) }, t("room.game", { number }));
    this.element.replaceChildren(`${t("room.replay")} `, ...numbers.flatMap((number) => [link(number), " "]));
  }
}
