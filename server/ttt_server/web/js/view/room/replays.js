// Links to the finished games of a room.

import { t } from "../../model/language.js";
import { gamesOver, seatOf } from "../../model/state.js";
import { fetchJson, gamePage } from "../../net/address.js";
import { recallToken } from "../../net/token_store.js";
import { h } from "../dom.js";

const MOST_SHOWN = 10;
const MARGIN_MS = 1_000; // the server shows a state a little later than its delay

export class Replays {
  #room;
  #over = 0;
  #readable = 0;
  #isAsking = false;
  #shown = "";

  constructor(room) {
    this.#room = room;
    this.element = h("p", { class: "games", hidden: true });
  }

  /** The games of a room that is not for all are for its players. */
  show(view) {
    const { locked, settings } = view.room;
    const isForAll = !locked && settings.spectators;
    const isPlayer = seatOf(view) !== null;
    this.#over = isForAll || isPlayer ? gamesOver(view.room) : 0;
    // A game can be read when the spectators have seen its end: they know it by that, a player has to ask.
    if (!settings.delay_s || !isPlayer) this.#readable = this.#over;
    else if (this.#readable < this.#over) this.#ask(settings.delay_s);
    this.#draw();
  }

  /** Ask for the games of which the spectators have seen the end, now and after each delay, until they are all. */
  async #ask(delayS) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const seen = await fetchJson(`rooms/${this.#room}`, recallToken(this.#room));
    this.#readable = Math.max(this.#readable, seen ? gamesOver(seen) : 0);
    this.#draw();
    if (this.#readable >= this.#over) this.#isAsking = false;
    else
      setTimeout(() => {
        this.#isAsking = false;
        this.#ask(delayS);
      }, delayS * 1000 + MARGIN_MS);
  }

  #draw() {
    const last = Math.min(this.#readable, this.#over);
    const shown = `${last} ${this.#over}`;
    this.element.hidden = this.#over === 0;
    if (this.#shown === shown) return;
    this.#shown = shown;
    const first = Math.max(1, last - MOST_SHOWN + 1);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const link = (number) => h("a", { href: gamePage(this.#room, number) }, t("room.game", { number }));
    const links = numbers.flatMap((number) => [link(number), " "]);
    this.element.replaceChildren(
      ...(links.length ? [`${t("room.replay")} `, ...links] : []),
      ...(last < this.#over ? [t("room.replay_later", { number: this.#over })] : []),
    );
  }
}
