// A choice of an AI: by its strength on the board, or by name and level.

import { currentLanguage, t } from "../model/language.js";
import { isFitFor, strengthsOn } from "../model/strength.js";
import { kindWords, nameOf } from "../model/words.js";
import { fetchCatalogue, strategies } from "../net/address.js";
import { h, setText } from "./dom.js";

const BY_STRENGTH = "strength ";

/** The first choice: by strength where that is known, else the AI that plays every board well. */
const OPPONENT = { choices: [`${BY_STRENGTH}fair`, "search"], level: 5 };

/** The same for an AI that is watched: the one that looks at most. */
export const THINKER = { choices: ["minimax", "search"], level: 9 };

export class AiPicker {
  #select;
  #level = h("input", { type: "range", min: "0", max: "9" });
  #shownLevel = h("span", { class: "level" });
  #levelRow;
  #about = h("small", {});
  /** What the engine's own strategies are, in the language of the page; the others say it in English. */
  #texts = {};
  #others;
  #first;
  #isChosen = false;
  #rules;
  #known = [];
  /** Fulfilled once all strategies are offered. Until then `value` is what is known without them. */
  ready;

  /**
   * `label` and `levelLabel` are for a screen reader; `others` come before the AIs: `[[value, words]]`.
   * `changed()` is called after a choice. `first` is what is chosen at first, `known` a promise of the strategies.
   */
  constructor(rules, label, levelLabel, others = [], changed = () => {}, first = OPPONENT, known = strategies()) {
    this.#rules = rules;
    this.#first = first;
    this.#level.value = first.level;
    this.#others = others;
    this.#select = h("select", { "aria-label": label, onchange: () => this.#choose(changed) });
    this.#level.setAttribute("aria-label", levelLabel);
    this.#level.addEventListener("input", () => this.#show());
    this.#levelRow = h("span", { class: "level-row" }, t("ai.level"), this.#level, this.#shownLevel);
    this.element = h("span", { class: "ai-picker" }, this.#select, this.#levelRow, this.#about);
    this.#fill();
    this.ready = Promise.all([known, textsOfStrategies()]).then(([all, texts]) => {
      this.#known = all;
      this.#texts = texts;
      this.#fill();
    });
  }

  /** Offer what plays on a board. */
  setRules(rules) {
    this.#rules = rules;
    this.#fill();
  }

  /** `{strategy, level}`, or the value of another choice. */
  get value() {
    const { value } = this.#select;
    if (value.startsWith(BY_STRENGTH)) return this.#strengths[value.slice(BY_STRENGTH.length)];
    const chosen = this.#chosen;
    return chosen ? { strategy: chosen.name, ...(chosen.levels ? { level: Number(this.#level.value) } : {}) } : value;
  }

  /** Algorithms have their names where one is watched; players meet a strength, or a kind. */
  get #isByName() {
    return this.#first === THINKER;
  }

  get #strengths() {
    return strengthsOn(this.#rules, this.#known);
  }

  get #chosen() {
    return this.#known.find(({ name }) => name === this.#select.value);
  }

  #fill() {
    const before = this.#select.value;
    const option = (value, words) => h("option", { value }, words);
    const group = (label, options) => (options.length ? h("optgroup", { label }, ...options) : null);
    const byStrength = Object.entries(this.#strengths).map(([strength, ai]) =>
      option(`${BY_STRENGTH}${strength}`, this.#isByName ? t("ai.strength", { strength: t(`strength.${strength}`), name: aiName(ai) }) : t("first.computer", { strength: t(`strength.${strength}`) })),
    );
    const fit = this.#known.filter(({ name }) => isFitFor(name, this.#rules));
    this.#select.replaceChildren(
      ...this.#others.map(([value, words]) => option(value, words)),
      ...[
        group(t("ai.by_strength"), byStrength),
        group(t(this.#isByName ? "ai.by_name" : "ai.by_kind"), fit.map(({ name }) => option(name, this.#isByName ? t("ai.option", { name }) : t("first.computer", { strength: kindWords(name) })))),
      ].filter(Boolean),
    );
    const values = [...this.#select.options].map(({ value }) => value);
    const chosen = this.#isChosen ? before : null; // else what stands there is only what was known so far
    const wanted = [chosen, this.#others[0]?.[0], ...this.#first.choices, before].find((value) => values.includes(value));
    if (wanted) this.#select.value = wanted;
    this.#show();
  }

  #choose(changed) {
    this.#isChosen = true;
    this.#show();
    changed();
  }

  #show() {
    const chosen = this.#chosen;
    this.#levelRow.hidden = !chosen?.levels;
    setText(this.#shownLevel, this.#level.value);
    this.#about.hidden = !chosen;
    if (!chosen) return;
    const { name, about, boards } = chosen;
    setText(this.#about, this.#texts[name] ?? `${about} Plays ${boards}.`);
    this.#about.lang = this.#texts[name] ? currentLanguage() : "en";
  }
}

let loading = null;

const textsOfStrategies = () => (loading ??= currentLanguage() === "en" ? {} : fetchCatalogue(`ai/${currentLanguage()}`));

const aiName = ({ strategy, level = null }) => nameOf({ kind: "ai", name: strategy, level });
