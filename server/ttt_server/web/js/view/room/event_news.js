// What a player in a game of an event has to know of it: a pause, announcements, the time that is left.

import { timeLeft } from "../../model/event_words.js";
import { t } from "../../model/language.js";
import { EventSession } from "../../net/event_session.js";
import { h, setText } from "../dom.js";

export class EventNews {
  element = h("div", { class: "event-news", "aria-live": "polite" });
  #pause = h("p", { class: "paused", hidden: true }, t("tournament.paused_words"));
  #list = h("ul", { class: "announcements" });
  #clock = h("p", { class: "facts" });
  #event = null;
  #clockSkew = 0;

  constructor(event) {
    this.element.append(this.#pause, this.#list, this.#clock);
    const listener = { onMessage: (message) => message.event && this.#show(message.event), onOutside: () => {}, onState: () => {} };
    const session = new EventSession(event, listener, { as: "player" });
    if (session.hasPlayer) session.enter();
  }

  /** Show the time that the round has left, which changes without a message. */
  tick(now) {
    const left = this.#event && timeLeft(this.#event, now + this.#clockSkew);
    setText(this.#clock, left ? t("tournament.time_left", { time: left }) : "");
  }

  #show(event) {
    this.#event = event;
    this.#clockSkew = event.now - Date.now();
    this.#pause.hidden = event.status !== "paused";
    const known = [...this.#list.children].map(({ textContent }) => textContent);
    if (known.join("\n") !== event.announcements.join("\n"))
      this.#list.replaceChildren(...event.announcements.map((text) => h("li", {}, text)));
    this.tick(Date.now());
  }
}
