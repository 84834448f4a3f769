// A choice of strategy and level.

import { t } from "../model/language.js";
import { fetchJson } from "../net/address.js";
import { h } from "./dom.js";

/** The default: it plays well on every board. */
const DEFAULT = "search";

let loading = null;

/** The server's strategies: `[{name, levels, about, boards}]`; fetched once. */
const strategies = () => (loading ??= fetchJson("strategies").then((answer) => answer?.strategies ?? []));

export class AiPicker {
  #select;
  #level = h("input", { type: "range", min: "0", max: "9", value: "5" });
  #shownLevel = h("span", { class: "level" }, "5");
  #levelRow;
  #about = h("small", {});
  #known = [];

  /** `label` and `levelLabel` are for a screen reader; `others` come before the AIs: `[[value, words]]`. `changed()` is called after a choice. */
  constructor(label, levelLabel, others = [], changed = () => {}) {
    const options = others.map(([value, words]) => h("option", { value }, words));
    this.#select = h("select", { "aria-label": label, onchange: () => (this.#show(), changed()) }, ...options);
    this.#level.setAttribute("aria-label", levelLabel);
    this.#level.addEventListener("input", () => this.#show());
    this.#levelRow = h("span", { class: "level-row" }, t("ai.level"), this.#level, this.#shownLevel);
    this.element = h("span", { class: "ai-picker" }, this.#select, this.#levelRow, this.#about);
    this.#show();
    strategies().then((known) => {
      this.#known = known;
      const others = this.#select.value;
      this.#select.append(...known.map(({ name }) => h("option", { value: name }, t("ai.option", { name }))));
      this.#select.value = others || DEFAULT;
      this.#show();
    });
  }

  /** `{strategy, level}`, or the value of another choice. */
  get value() {
    const chosen = this.#chosen;
    if (!chosen) return this.#select.value;
    return { strategy: chosen.name, ...(chosen.levels ? { level: Number(this.#level.value) } : {}) };
  }

  get #chosen() {
    return this.#known.find(({ name }) => name === this.#select.value);
  }

  #show() {
    const chosen = this.#chosen;
    this.#levelRow.hidden = !chosen?.levels;
    this.#shownLevel.textContent = this.#level.value;
    this.#about.textContent = chosen ? t("ai.about", chosen) : "";
    this.#about.hidden = !chosen;
  }
}
