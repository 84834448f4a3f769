// The ways from a position into a room: against the computer, a friend, or both sides at one screen.

import { t } from "../../model/language.js";
import { refusalWords } from "../../model/words.js";
import { roomPage, twoPage } from "../../net/address.js";
import { createRoom } from "../../net/create_room.js";
import { AiPicker } from "../ai_picker.js";
import { freshRoomName, ownName } from "../chance.js";
import { h } from "../dom.js";

export class PlayOn {
  #picker;
  #position = null;
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  #buttons;

  constructor(rules) {
    this.#picker = new AiPicker(rules, t("ai.label"), t("ai.level_label"));
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    this.#buttons = h(
      "div",
      { class: "buttons" },
      button(t("explore.with_ai"), () => this.#enter({ seats: this.#seats, hints: true })),
      button(t("explore.with_friend"), () => this.#enter({})),
      button(t("explore.with_both"), () => this.#enter({ public: false }, true)),
    );
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("explore.play_on") },
      h("h2", {}, t("explore.play_on")),
      this.#picker.element,
      this.#buttons,
      this.#trouble,
    );
  }

  /** Offer the position that the server has described; null for one from which no game can go on. */
  show(position) {
    this.#position = position;
    this.element.hidden = position === null;
    if (position !== null) this.#picker.setRules(position.rules);
  }

  /** The computer takes the side that is not to move. */
  get #seats() {
    const ai = this.#picker.value;
    return this.#position.turn === "X" ? { X: "human", O: ai } : { X: ai, O: "human" };
  }

  #enter(settings, isForTwo = false) {
    this.#trouble.hidden = true;
    const { rules, moves: start } = this.#position;
    const room = freshRoomName();
    const joinFields = { role: "player", name: ownName(), settings: { rules, start, ...settings } };
    createRoom(room, joinFields, {
      done: () => location.assign(isForTwo ? twoPage(room) : roomPage(room)),
      refused: (refusal) => {
        this.#trouble.textContent = refusalWords(refusal);
        this.#trouble.hidden = false;
      },
    });
  }
}
