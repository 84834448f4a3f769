// Watching a strategy think: its steps are shown one at a time, and of a search the open path alone.

import { t } from "../../model/language.js";
import { lessonOf } from "../../model/lessons.js";
import { parseTrace, seenAfter } from "../../model/thinking.js";
import { cellName, thoughtWords } from "../../model/words.js";
import { fetchText, learnPage } from "../../net/address.js";
import { AiPicker, THINKER } from "../ai_picker.js";
import { BoardSvg } from "../board_svg.js";
import { h, setText } from "../dom.js";

const MOST_SHOWN = 6; // boards of a long path: the first ones, and the newest
const MOST_LINES = 12; // of a long list: the newest

export class Thinking {
  #rules;
  #picker;
  #query = "";
  #board = "";
  #steps = [];
  #at = 0;
  #timer = null;
  #asking = new AbortController();
  #note = h("p", { "aria-live": "polite" });
  #player = h("div", { class: "stepper", hidden: true });
  #go;
  #play;
  #speed = h("input", { type: "range", min: "1", max: "30", value: "3" });
  #place = h("p", { class: "at" });
  #path = h("div", { class: "path" });
  #list = h("ul", { class: "steps" });
  #decision = h("p", {});
  #lesson = h("a", {}, t("explore.lesson"));

  constructor(rules) {
    this.#rules = rules;
    this.#picker = new AiPicker(rules, t("ai.label"), t("ai.level_label"), [], () => this.#showLesson(), THINKER);
    const button = (words, onclick, label = null) => h("button", { type: "button", onclick, "aria-label": label }, words);
    this.#go = button(t("think.go"), () => this.#think());
    this.#go.disabled = true; // until there is a position
    this.#play = button(t("think.play"), () => (this.#timer ? this.#pause() : this.#run()));
    this.#speed.setAttribute("aria-label", t("think.speed"));
    this.#player.append(
      button("«", () => this.#goTo(0), t("game.first")),
      button("‹", () => this.#goTo(this.#at - 1), t("game.back")),
      this.#play,
      button("›", () => this.#goTo(this.#at + 1), t("game.forward")),
      button("»", () => this.#goTo(this.#steps.length), t("game.last")),
      h("label", { class: "field" }, h("span", {}, t("think.speed")), this.#speed),
    );
    this.element = h(
      "section",
      { class: "panel thinking", "aria-label": t("think.title") },
      h("div", { class: "head" }, h("h2", {}, t("think.title")), this.#go),
      this.#picker.element,
      h("p", {}, this.#lesson),
      this.#note,
      this.#player,
      this.#place,
      this.#path,
      this.#list,
      this.#decision,
    );
  }

  #showLesson() {
    this.#lesson.href = learnPage(lessonOf(this.#picker.value.strategy));
  }

  /** Think about another position; `query` names it for the server, and is null for one that is over. */
  show(rules, query, board) {
    if (query === this.#query) return;
    this.#query = query;
    this.#board = board;
    this.#go.disabled = false;
    this.#rules = rules;
    this.#picker.setRules(rules);
    this.#showLesson();
    this.element.hidden = query === null;
    this.#giveUp();
    setText(this.#note, "");
  }

  /** Drop the steps that are shown, and the question that is open: the server stops thinking then. */
  #giveUp() {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#begin([]);
  }

  async #think() {
    this.#giveUp();
    const { signal } = this.#asking;
    setText(this.#note, t("explore.working"));
    await this.#picker.ready;
    if (signal.aborted) return;
    const { strategy, level } = this.#picker.value;
    const name = level === undefined ? strategy : `${strategy}:${level}`;
    const text = await fetchText(`trace?${this.#query}&strategy=${encodeURIComponent(name)}`, signal);
    if (signal.aborted) return;
    setText(this.#note, text ? "" : t("think.none"));
    this.#begin(text ? parseTrace(text).slice(1) : []);
    this.#run();
  }

  #begin(steps) {
    this.#pause();
    this.#steps = steps;
    this.#goTo(0);
  }

  #run() {
    if (!this.#steps.length) return;
    if (this.#at >= this.#steps.length) this.#at = 0;
    setText(this.#play, t("think.pause"));
    const tick = () => {
      this.#timer = setTimeout(tick, 1000 / this.#speed.valueAsNumber);
      this.#goTo(this.#at + 1);
      if (this.#at >= this.#steps.length) this.#pause();
    };
    this.#timer = setTimeout(tick, 1000 / this.#speed.valueAsNumber);
  }

  #pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
    setText(this.#play, t("think.play"));
  }

  #goTo(at) {
    this.#at = Math.min(Math.max(at, 0), this.#steps.length);
    const seen = seenAfter(this.#steps, this.#at);
    const count = this.#steps.length;
    this.#player.hidden = count === 0;
    setText(this.#place, count ? t("think.step", { at: this.#at, count, nodes: seen.entered }) : "");
    const isSearch = this.#steps.some(({ step }) => step === "enter");
    this.#path.replaceChildren(...(isSearch ? this.#boards(seen.path) : []));
    this.#list.replaceChildren(...this.#lines(seen));
    setText(this.#decision, seen.decision ? this.#decisionWords(seen.decision) : "");
  }

  /** The open path: a small board for each node, with the moves that were tried from there. */
  #boards(path) {
    const shown = path.map((node, depth) => ({ node, depth }));
    const hidden = shown.length - MOST_SHOWN;
    const kept = hidden > 0 ? [shown[0], ...shown.slice(hidden + 1)] : shown;
    return kept.map(({ node, depth }) => this.#node(path.slice(0, depth + 1), node));
  }

  #node(path, node) {
    const moves = path.slice(1).map(({ cell }) => cell);
    const cells = [...this.#board];
    const set = cells.filter((mark) => mark !== ".").length;
    moves.forEach((cell, at) => (cells[cell] = (set + at) % 2 ? "O" : "X"));
    const words = node.cell === null ? t("think.root") : t("think.after", { cell: cellName(node.cell, this.#rules) });
    const svg = new BoardSvg(this.#rules, words);
    svg.draw({ board: cells.join(""), moves });
    const chip = ({ cell, value, result, isKnown }) => {
      const worth = value === null ? "…" : result === null ? value : `${value}, ${t(`worth.${result}`)}`;
      return h("li", { class: isKnown ? "known" : null }, `${cellName(cell, this.#rules)}: ${worth}`);
    };
    const cut = node.cut.map((cell) => cellName(cell, this.#rules)).join(", ");
    return h(
      "div",
      { class: "node" },
      svg.element,
      h("p", {}, words),
      h("ul", { class: "tried" }, ...node.children.slice(-MOST_LINES).map(chip)),
      cut ? h("p", { class: "cut" }, t("think.cut", { cells: cut })) : null,
    );
  }

  #lines({ rules, depths, leftOut }) {
    const words = [
      ...rules.map((step) => this.#ruleWords(step)),
      ...depths.map(({ depth, cell, value }) =>
        t("think.depth", { depth, cell: cellName(cell, this.#rules), value, words: t(`think.sign.${Math.sign(value)}`) }),
      ),
      ...(leftOut ? [t("think.left_out", { count: leftOut })] : []),
    ];
    return words.slice(-MOST_LINES).map((line) => h("li", {}, line));
  }

  #ruleWords({ step, rule, cell, cells, value, won, lost, drawn }) {
    const name = cell === undefined ? null : cellName(cell, this.#rules);
    if (step === "score") return t("think.score", { cell: name, count: value });
    if (step === "remember") return t("think.remember", { cell: name, won, lost, drawn });
    const fitting = this.#few(cells);
    const words = thoughtWords(rule);
    return cells.length ? t("think.fits", { rule: words, cells: fitting }) : t("think.fits_not", { rule: words });
  }

  #decisionWords({ cells, reason }) {
    return t("think.decision", { cells: this.#few(cells), reason: thoughtWords(reason) });
  }

  #few(cells) {
    const names = cells.slice(0, MOST_LINES).map((cell) => cellName(cell, this.#rules));
    return names.join(", ") + (cells.length > MOST_LINES ? " …" : "");
  }
}
