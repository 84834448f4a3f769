// A position, and the thoughts of all strategies that play it, side by side.

import { t } from "../../model/language.js";
import { lessonOf } from "../../model/lessons.js";
import { cellName, nameOf, thoughtWords } from "../../model/words.js";
import { fetchJson, learnPage } from "../../net/address.js";
import { h, setText } from "../dom.js";

const COLUMNS = ["strategy", "cells", "reason", "time", "nodes"];
const COUNTS = ["minimax", "alpha_beta", "alpha_beta_table"];
const MOST_CELLS = 6;

export class Comparison {
  #rules = null;
  #query = "";
  #asking = new AbortController();
  #note = h("p", { "aria-live": "polite" });
  #result = h("div", {});

  constructor() {
    const button = h("button", { type: "button", onclick: () => this.#compare() }, t("compare.go"));
    this.element = h(
      "section",
      { class: "panel comparison", "aria-label": t("compare.title") },
      h("h2", {}, t("compare.title")),
      h("div", { class: "buttons" }, button),
      this.#note,
      this.#result,
    );
  }

  /** Compare another position; see `Thinking.show`. */
  show(rules, query) {
    if (query === this.#query) return;
    this.#rules = rules;
    this.#query = query;
    this.element.hidden = query === null;
    this.#giveUp();
    setText(this.#note, "");
  }

  /** Drop the answer that is shown, and the question that is open: the server stops thinking then. */
  #giveUp() {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#result.replaceChildren();
  }

  async #compare() {
    this.#giveUp();
    const { signal } = this.#asking;
    setText(this.#note, t("explore.working"));
    const found = await fetchJson(`compare?${this.#query}`, null, signal);
    if (signal.aborted) return;
    setText(this.#note, found ? "" : t("think.none"));
    this.#result.replaceChildren(...(found ? [this.#table(found.strategies), h("small", {}, t("compare.levels")), countsOf(found.node_counts)] : []));
  }

  #table(strategies) {
    return h(
      "table",
      {},
      h("caption", { class: "unseen" }, t("compare.title")),
      h("thead", {}, h("tr", {}, ...COLUMNS.map((key) => h("th", { scope: "col" }, t(`compare.${key}`))))),
      h("tbody", {}, ...strategies.map((each) => this.#row(each))),
    );
  }

  #row({ strategy, level, cells = [], reason = "", time_ms: time, nodes, error }) {
    const names = cells.slice(0, MOST_CELLS).map((cell) => cellName(cell, this.#rules));
    const words = error ? t("think.none") : thoughtWords(reason);
    const cellsWords = names.join(", ") + (cells.length > MOST_CELLS ? " …" : "");
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: learnPage(lessonOf(strategy)) }, nameOf({ kind: "ai", name: strategy, level }))),
      ...[cellsWords, words, time === undefined ? "" : time.toFixed(1), nodes ?? ""].map((each) => h("td", {}, String(each))),
    );
  }
}

/** How many nodes three kinds of search look at, to know the value. */
function countsOf(counts) {
  const known = COUNTS.filter((key) => Number.isInteger(counts[key]));
  if (!known.length) return h("p", {}, t("compare.no_counts"));
  const rows = known.map((key) => h("li", {}, t(`compare.${key}`, { count: counts[key] })));
  return h("div", {}, h("h3", {}, t("compare.counts")), h("ul", {}, ...rows));
}
