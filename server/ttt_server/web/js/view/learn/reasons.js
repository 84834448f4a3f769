// Why a strategy takes a cell: its rules one after the other, numbers on a small board, and its choice in words.

import { t } from "../../model/language.js";
import { cellName, cellNames, thoughtWords } from "../../model/words.js";
import { h, setText } from "../dom.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3 };
const STEP_MS = 450;

export class Reasons {
  #rules;
  #list = h("ol", { class: "reason-list" });
  #numbers = h("div", { class: "cell-numbers", hidden: true });
  #legend = h("p", { class: "legend" });
  #choice = h("p", { class: "choice" });
  #round = 0;

  /** `rules`: those that the strategy goes through, in order; none for one that tells them as they come. */
  constructor(lesson, rules) {
    this.#rules = rules;
    this.element = h(
      "section",
      { class: "panel reasons", "aria-label": t("learn.how") },
      h("h2", {}, t("learn.how")),
      this.#list,
      this.#numbers,
      this.#legend,
      this.#choice,
    );
    this.#legend.dataset.lesson = lesson;
    this.clear();
  }

  /** Show the rules alone: nothing was asked yet. */
  clear() {
    this.#round += 1;
    this.#list.replaceChildren(...this.#rules.map((rule) => line("waiting", thoughtWords(rule), "")));
    this.#numbers.hidden = true;
    setText(this.#legend, t(`learn.legend.${this.#legend.dataset.lesson}`));
    setText(this.#choice, "");
  }

  /** Show a thought, one rule after the other; done once the choice is told. */
  async show({ steps, decision }, board) {
    const round = ++this.#round;
    const told = steps.filter(({ step }) => step === "rule");
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#numbers.hidden = true;
    setText(this.#choice, "");
    for (let count = 1; count <= told.length; count++) {
      this.#list.replaceChildren(...this.#lines(told.slice(0, count), count === told.length));
      if (!isCalm && this.#rules.length) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      if (round !== this.#round) return;
    }
    if (!told.length) this.#list.replaceChildren();
    this.#showNumbers(numbersOf(steps, decision), board, decision.cells);
    const { cells, reason } = decision;
    setText(this.#choice, t("learn.choice", { cells: cellNames(cells, RULES, 9), reason: reasonWords(reason) }));
  }

  #lines(told, isAll) {
    const shown = told.map(({ rule, cells }) =>
      cells.length
        ? line("fits", rule === "random" ? t("learn.chance") : thoughtWords(rule), cellNames(cells, RULES, 9))
        : line("fits-not", thoughtWords(rule), t("learn.fits_not")),
    );
    const rest = this.#rules.filter((rule) => !told.some((step) => step.rule === rule));
    return [...shown, ...rest.map((rule) => line("waiting", thoughtWords(rule), isAll ? t("learn.not_asked") : ""))];
  }

  #showNumbers(numbers, board, best) {
    this.#numbers.hidden = numbers === null;
    if (numbers === null) return;
    const cells = [...board].map((mark, cell) => {
      if (mark !== ".") return h("span", { class: `taken ${mark}` }, mark);
      const words = numbers[cell] ?? "";
      return h("span", { class: best.includes(cell) ? "best" : "" }, h("span", { class: "unseen" }, `${cellName(cell, RULES)} `), words);
    });
    this.#numbers.replaceChildren(...cells);
  }
}

const line = (kind, rule, words) => h("li", { class: kind }, h("b", {}, rule), " ", h("span", {}, words));

/** The reason in words, which say what a bare number or "any cell" would not. */
export function reasonWords(reason) {
  if (reason === "random") return t("learn.free");
  const balance = /^wins minus losses: ([+-]?\d+)$/.exec(reason);
  if (!balance) return thoughtWords(reason);
  const count = Number(balance[1]);
  if (!count) return t("learn.balance.even");
  return t(count > 0 ? "learn.balance.more" : "learn.balance.less", { count: Math.abs(count) });
}

/** What stands on the free cells: what was scored or remembered, else the values of the decision. */
function numbersOf(steps, decision) {
  const remembered = steps.filter(({ step }) => step === "remember");
  if (remembered.length) {
    const words = ({ won, lost, drawn }) => (won + lost + drawn ? t("learn.tally", { won, lost, drawn }) : t("learn.tally.none"));
    return Object.fromEntries(remembered.map((step) => [step.cell, words(step)]));
  }
  if (steps.some(({ step, rule, cells }) => step === "rule" && ["win", "block"].includes(rule) && cells.length)) return null;
  const { values } = decision;
  if (!values) return null;
  const isBalance = decision.reason.startsWith("wins minus");
  const sign = (value) => (isBalance && value > 0 ? `+${value}` : String(value).replace("-", "−"));
  return Object.fromEntries(Object.entries(values).map(([cell, value]) => [cell, sign(value)]));
}
