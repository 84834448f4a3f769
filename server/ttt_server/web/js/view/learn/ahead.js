// Look ahead: the tree of a position, valued box by box; what a side will choose is asked before it is shown.

import { t } from "../../model/language.js";
import { after, outcomeOf, turnOf } from "../../model/learn/three.js";
import { chooserOf, positionToLookAhead, skipped, treeOf, valued } from "../../model/learn/tree.js";
import { cellName } from "../../model/words.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";
import { TreePicture } from "./tree_picture.js";
import { think } from "./think.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3, gravity: false };
const FIRST = ".XOX.OXO."; // one move wins, one draws, one loses
const PACE_MS = 1100;
const [SMALL, LARGE] = [3, 4]; // free cells
const other = (mark) => (mark === "X" ? "O" : "X");

export class Ahead {
  #happened;
  #base = FIRST;
  #path = []; // boards before that of the tree, to take moves back
  #root = null;
  #order = [];
  #at = 0;
  #isToldRight = 0;
  #timer = null;
  #asking = new AbortController();
  #picture = null;
  #board = new Board(RULES, { play: (cell) => this.#play(cell), full: () => {} });
  #status = h("h2", { class: "prompt" });
  #hint = h("p", { class: "hint-words" });
  #answers;
  #place = h("div", {});
  #count = h("span", { class: "pill" });
  #counts = h("p", { class: "tree-counts" });
  #cuts = h("input", { type: "checkbox" });
  #run;
  #step;
  #back;

  /** `happened(happening)` is told what goes on. */
  constructor(happened) {
    this.#happened = happened;
    const button = (words, onclick, kind = null) => h("button", { type: "button", onclick, class: kind }, words);
    this.#answers = [-1, 0, 1].map((value) => button("", () => this.#answer(value)));
    this.#step = button(t("learn.tree.step"), () => this.#next(""), "main");
    this.#run = button(t("learn.tree.play"), () => (this.#timer ? this.#pause() : this.#start()));
    this.#back = button(t("learn.back"), () => this.#takeBack());
    this.#cuts.addEventListener("change", () => this.#begin(this.#base));
    this.board = h(
      "div",
      { class: "duel" },
      this.#board.element,
      h(
        "div",
        { class: "buttons" },
        this.#back,
        button(t("learn.tree.small"), () => this.#fresh(SMALL)),
        button(t("learn.tree.large"), () => this.#fresh(LARGE)),
      ),
    );
    this.panel = h(
      "section",
      { class: "panel tree-panel", "aria-label": t("learn.tree") },
      h(
        "div",
        { class: "tree-head" },
        h("h2", {}, t("learn.tree")),
        this.#count,
        h("div", { class: "buttons" }, button(t("learn.tree.first"), () => this.#begin(this.#base)), this.#step, this.#run),
      ),
      h("div", { role: "status" }, this.#status, this.#hint),
      h("div", { class: "answers", role: "group", "aria-label": t("learn.tree.foretell") }, ...this.#answers),
      this.#place,
      h("label", { class: "check" }, this.#cuts, " ", t("learn.tree.cuts")),
      this.#counts,
      h("p", { class: "legend" }, t("learn.tree.legend")),
    );
    this.#begin(FIRST);
  }

  #fresh(free) {
    this.#path = [];
    this.#begin(positionToLookAhead(free, (cells) => cells[Math.floor(Math.random() * cells.length)]));
  }

  /** Grow the tree of a position, with no value known. */
  #begin(board) {
    this.#pause();
    this.#base = board;
    this.#root = treeOf(board, this.#cuts.checked);
    this.#order = valued(this.#root);
    this.#at = 0;
    this.#picture = new TreePicture(this.#root);
    this.#place.replaceChildren(this.#picture.element);
    this.#show();
    this.#compare();
  }

  get #you() {
    return turnOf(this.#root.board);
  }

  get #current() {
    return this.#order[Math.min(this.#at, this.#order.length - 1)];
  }

  /** Whether the next value is one that a side chooses, and so is asked for. */
  get #isAsked() {
    return this.#at < this.#order.length && !this.#current.isEnd;
  }

  #answer(value) {
    if (!this.#isAsked) return;
    const node = this.#current;
    const isRight = node.value === value;
    this.#isToldRight = isRight ? this.#isToldRight + 1 : 0;
    this.#happened({ type: "foretold", inARow: this.#isToldRight });
    this.#next(t(isRight ? "learn.right" : "learn.wrong"));
  }

  /** Tell the next value. `words` come before it. */
  #next(words) {
    if (this.#at >= this.#order.length) return;
    const node = this.#current;
    this.#at += 1;
    this.#show();
    const told = this.#toldWords(node);
    if (this.#isAsked) {
      setText(this.#status, t("learn.tree.ask", { mark: chooserOf(this.#current) }));
      setText(this.#hint, [words, told, this.#placeWords()].filter(Boolean).join(" "));
      return;
    }
    setText(this.#status, words || this.#valueWords(node.value));
    setText(this.#hint, told);
    if (this.#at < this.#order.length) return;
    this.#pause();
    const positions = this.#order.length;
    this.#happened({ type: "valued", positions, skipped: skipped(this.#root).length });
    setText(this.#status, t("learn.tree.done", { value: this.#valueWords(this.#root.value) }));
  }

  #start() {
    if (this.#at >= this.#order.length) this.#begin(this.#base);
    setText(this.#run, t("learn.tree.pause"));
    const tick = () => {
      this.#timer = setTimeout(tick, PACE_MS);
      this.#next("");
    };
    tick();
  }

  #pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
    setText(this.#run, t("learn.tree.play"));
  }

  #show() {
    const known = new Set(this.#order.slice(0, this.#at));
    const node = this.#current;
    this.#picture.show(known, node);
    const last = node.cell === null ? [] : [node.cell];
    const outcome = outcomeOf(node.board);
    const canPlay = node === this.#root || this.#at === 0;
    const shown = canPlay ? this.#root.board : node.board;
    this.#board.show({ board: shown, moves: canPlay ? [] : last, outcome: canPlay ? null : outcome }, canPlay ? this.#you : null);
    setText(this.#count, t("learn.tree.known", { known: this.#at, count: this.#order.length }));
    this.#answers.forEach((button, index) => {
      setText(button, `${"−=+"[index]} ${this.#valueWords(index - 1)}`);
      button.setAttribute("aria-disabled", String(!this.#isAsked));
    });
    this.#step.setAttribute("aria-disabled", String(this.#at >= this.#order.length));
    this.#back.setAttribute("aria-disabled", String(!this.#path.length));
    if (this.#at === 0) {
      setText(this.#status, t("learn.tree.begin"));
      setText(this.#hint, t("learn.tree.begin_words", { mark: this.#you }));
    }
  }

  #toldWords(node) {
    const mark = chooserOf(node);
    const value = this.#valueWords(node.value);
    if (node.isEnd) return t("learn.tree.end", { moves: this.#movesTo(node), value });
    const cut = node.children.filter((child) => child.value === null).map((child) => cellName(child.cell, RULES));
    const told = t(mark === this.#you ? "learn.tree.best" : "learn.tree.worst", { mark, you: this.#you, value });
    return told + (cut.length ? ` ${t("learn.tree.cut", { cells: cut.join(", ") })}` : "");
  }

  /** What the side that is asked about can choose: `After b2: a1: a draw, c3: O wins`. */
  #placeWords() {
    const node = this.#current;
    const place = node === this.#root ? t("learn.tree.at_root") : t("learn.tree.after", { moves: this.#movesTo(node) });
    const known = node.children.filter((child) => child.value !== null);
    return `${place} ${known.map((child) => `${cellName(child.cell, RULES)} = ${this.#valueWords(child.value)}`).join(", ")}`;
  }

  #movesTo(node) {
    const played = [];
    let nodes = [this.#root];
    while (nodes.length) {
      const on = nodes.find((each) => contains(each, node));
      if (!on) break;
      if (on.cell !== null) played.push(cellName(on.cell, RULES));
      nodes = on.children;
    }
    return played.join(", ");
  }

  #valueWords(value) {
    if (value === 0) return t("learn.value.draw");
    return t("learn.value.wins", { mark: value > 0 ? this.#you : other(this.#you) });
  }

  /** Play a move: the tree is that of the position after it. */
  #play(cell) {
    const next = after(this.#root.board, cell);
    const outcome = outcomeOf(next);
    if (outcome) {
      const value = outcome.winner ? t("learn.value.wins", { mark: outcome.winner }) : t("learn.value.draw");
      setText(this.#status, value);
      return setText(this.#hint, t("learn.tree.end", { moves: cellName(cell, RULES), value }));
    }
    this.#path.push(this.#base);
    this.#begin(next);
  }

  #takeBack() {
    if (this.#path.length) this.#begin(this.#path.pop());
  }

  /** Tell how many positions three searches look at: the server's own count. */
  async #compare() {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#counts.replaceChildren();
    const thought = await think(`board=${this.#base}&counts=1&limit=1`, "minimax", signal);
    if (signal.aborted || !thought?.counts) return;
    const pill = (kind) => h("span", { class: "pill" }, t(`learn.tree.${kind}`, { count: thought.counts[kind] }));
    this.#counts.replaceChildren(...["minimax", "alpha_beta", "alpha_beta_table"].map(pill));
  }
}

const contains = (node, wanted) => node === wanted || node.children.some((child) => contains(child, wanted));
