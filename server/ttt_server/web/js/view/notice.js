// The state of the connection, at the top of the page while there is none.

import { h, setText } from "./dom.js";

export class Notice {
  #words = h("span", {});

  /** `again()` connects now. */
  constructor(again) {
    this.element = h(
      "div",
      { class: "notice", role: "alert", hidden: true },
      this.#words,
      h("button", { type: "button", onclick: again }, "Try now"),
    );
  }

  get isShown() {
    return !this.element.hidden;
  }

  update({ state, pauseS, reason }) {
    this.element.hidden = state !== "lost" && !(state === "connecting" && this.isShown);
    if (state === "connecting") setText(this.#words, "Connecting again…");
    if (state !== "lost") return;
    // No countdown: a screen reader would read it out every second.
    const seconds = Math.max(1, Math.round(pauseS));
    setText(this.#words, `Connection lost${reason ? ` (${reason})` : ""}. Trying again in ${seconds} s…`);
  }
}
