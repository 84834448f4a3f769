// "Play now": the next player who wants the same board, or after a while an AI.

import { t } from "../../model/language.js";
import { boardName } from "../../model/strength.js";
import { nameOf } from "../../model/words.js";
import { QuickMatch } from "../../net/quick_match.js";
import { h, setText } from "../dom.js";

const CLOCKS = [
  [1, 2],
  [3, 2],
  [5, 3],
].map(([minutes, increment_s]) => ({ initial_s: minutes * 60, increment_s }));

export const clockWords = ({ initial_s: seconds, increment_s }) => t("form.clock_plus", { count: seconds / 60, seconds: increment_s });

export class PlayNow {
  #clock = h("select", { "aria-label": t("form.clock") });
  #start;
  #seeking;
  #seconds = h("span", { class: "seconds", "aria-hidden": "true" });
  #offer = h("button", { type: "button", class: "main", hidden: true });
  #words = h("span", { "aria-live": "polite" });
  #match = null;
  #fields = null; // of the `seek` that waits
  #timer = 0;
  #row;

  /** `wanted()` gives the fields of a `seek`, or null; `paired(room)` and `refused(refusal)` as in `QuickMatch`. */
  constructor(wanted, { paired, refused }) {
    const begin = () => {
      const fields = wanted();
      const clock = CLOCKS[this.#clock.value];
      if (fields) this.#begin({ ...fields, ...(clock ? { clock } : {}) }, paired, refused);
    };
    const cancel = h("button", { type: "button", onclick: () => this.#end() }, t("now.cancel"));
    this.#start = h("button", { type: "button", class: "main", onclick: begin }, t("now.go"));
    this.#seeking = h("div", { class: "buttons seeking", hidden: true }, this.#words, this.#seconds, this.#offer, cancel);
    this.#offer.addEventListener("click", () => this.#match.takeAi());
    this.#clock.append(h("option", { value: "" }, t("form.no_clock")), ...CLOCKS.map((clock, index) => h("option", { value: index }, clockWords(clock))));
    this.#row = h("div", { class: "buttons" }, this.#start, this.#clock);
    this.element = h("div", {}, this.#row, this.#seeking);
  }

  /** Whether this is what the page itself seeks. */
  isOwn({ rules, clock }) {
    const own = this.#fields;
    return own !== null && boardName(rules) === boardName(own.rules) && clock?.initial_s === own.clock?.initial_s;
  }

  #begin(fields, paired, refused) {
    this.#fields = fields;
    const since = performance.now();
    this.#show(true);
    setText(this.#words, t("now.seeking"));
    const tick = () => {
      const seconds = Math.floor((performance.now() - since) / 1000);
      setText(this.#seconds, t("move.seconds", { seconds }));
    };
    tick();
    this.#timer = setInterval(tick, 1000);
    this.#match = new QuickMatch(fields, {
      offered: ({ strategy, level }) => {
        setText(this.#words, t("now.none_yet"));
        setText(this.#offer, t("now.ai", { name: nameOf({ kind: "ai", name: strategy, strategy, level }, fields.rules) }));
        this.#offer.hidden = false;
      },
      paired,
      refused: (refusal) => {
        this.#end();
        refused(refusal);
      },
    });
    this.#seeking.querySelector("button:not([hidden])").focus();
  }

  #end() {
    this.#fields = null;
    clearInterval(this.#timer);
    this.#match.stop();
    this.#show(false);
    this.#start.focus();
  }

  #show(isSeeking) {
    this.#row.hidden = isSeeking;
    this.#seeking.hidden = !isSeeking;
    this.#offer.hidden = true;
  }
}
