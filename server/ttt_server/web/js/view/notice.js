// What the connection does, said at the top of the page for as long as it is not simply well.

import { h, write } from "./dom.js";

export class Notice {
  #words = h("span", {});

  /** `again()` tries now. */
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

  tell({ state, pauseS, words }) {
    this.element.hidden = state !== "lost" && !(state === "connecting" && this.isShown);
    if (state === "connecting") write(this.#words, "Connecting again…");
    if (state !== "lost") return;
    // Said once; a countdown would be read out every second.
    const seconds = Math.max(1, Math.round(pauseS));
    write(this.#words, `Connection lost${words ? ` (${words})` : ""}. Trying again in ${seconds} s…`);
  }
}
