// What a player in a game of an event has to know of it: a pause, announcements, the time that is left, the next game.

import { timeLeft } from "../../model/event_words.js";
import { t } from "../../model/language.js";
import { EventSession } from "../../net/event_session.js";
import { eventPage } from "../../net/address.js";
import { recallBoards } from "../../net/token_store.js";
import { h, setText } from "../dom.js";
import { addStyles } from "../page.js";

await addStyles("css/event_news.css");

const LOOK_MS = 4_000; // at how the game here ended

export class EventNews {
  element = h("div", { class: "event-news", "aria-live": "polite" });
  #pause = h("p", { class: "paused", hidden: true }, t("tournament.paused_words"));
  #list = h("ul", { class: "announcements" });
  #clock = h("p", { class: "facts" });
  #event = null;
  #clockSkew = 0;

  /** `room`: that of the game here. */
  constructor(event, room) {
    this.element.append(this.#pause, this.#list, this.#clock);
    const onMessage = (message) => {
      if (message.event) this.#show(message.event);
      if (message.type === "games" && isElsewhere(message.games, room, event)) setTimeout(() => location.assign(eventPage(event)), LOOK_MS);
    };
    const listener = { onMessage, onOutside: () => {}, onState: () => {} };
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

/** Whether a player's one game is in another room: this one's end was missed, or is being looked at. */
const isElsewhere = (games, here, event) => recallBoards(event).length <= 1 && games.length > 0 && !games.some(({ room }) => room === here);
