// A game against a strategy that shows how it decides: one plays, guesses its answer, and sees the reason.

import { t } from "../../model/language.js";
import { boardOf, outcomeOf, turnOf } from "../../model/learn/three.js";
import { cellName, outcomeWords } from "../../model/words.js";
import { recallChoice, rememberChoice } from "../../net/token_store.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";
import { playSound } from "../page.js";
import { reasonWords, Reasons } from "./reasons.js";
import { think } from "./think.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3, gravity: false };
const LOOK_MS = 700;
const MOST_GAMES = 40; // as many as the server takes
const GUESS = "learn guess";

/** The rules that a strategy goes through, for those that have a list of them. */
const RULES_OF = { rules: ["win", "block", "centre", "corner", "side"] };

export class Duel {
  #lesson;
  #strategy;
  #happened;
  #moves = [];
  #thought = null;
  #isGuess = false;
  #inARow = 0;
  #asking = new AbortController();
  #board;
  #reasons;
  #status = h("h2", { class: "prompt" });
  #hint = h("p", { class: "hint-words" });
  #show;
  #back;
  #guessing = h("input", { type: "checkbox", checked: recallChoice(GUESS) !== "off" });
  #games = [];

  /**
   * `happened(happening)` is told what goes on. With `remembers`, the strategy remembers the games that were
   * played here, and nothing else: they are kept in this browser.
   */
  constructor(lesson, strategy, happened, remembers = false) {
    this.#lesson = lesson;
    this.#strategy = strategy;
    this.#happened = happened;
    this.#board = new Board(RULES, { play: (cell) => this.#press(cell), full: () => {} });
    this.#reasons = new Reasons(lesson, RULES_OF[strategy] ?? []);
    this.#games = remembers ? (recallChoice("learn games") ?? "").split(",").filter(Boolean) : null;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    this.#back = button(t("learn.back"), () => this.#takeBack());
    this.#show = button(t("learn.show"), () => this.#reveal(null));
    this.#guessing.addEventListener("change", () => rememberChoice(GUESS, this.#guessing.checked ? "on" : "off"));
    this.board = h(
      "div",
      { class: "duel" },
      h("div", { role: "status" }, this.#status, this.#hint),
      this.#board.element,
      h("div", { class: "buttons" }, this.#show, this.#back, button(t("learn.again"), () => this.#begin())),
      h("label", { class: "check" }, this.#guessing, " ", t("learn.guess_first")),
      remembers ? h("div", { class: "buttons" }, button(t("learn.forget"), () => this.#forget())) : null,
    );
    this.panel = this.#reasons.element;
    this.#begin();
  }

  #begin() {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#moves = [];
    this.#thought = null;
    this.#isGuess = false;
    this.#reasons.clear();
    this.#draw();
    this.#say(t("learn.you_begin"), this.#games ? t("learn.games", { count: this.#games.length }) : t("learn.you_are_x"));
  }

  #takeBack() {
    if (!this.#moves.length) return;
    const before = this.#moves.slice(0, this.#moves.length - (this.#moves.length % 2 ? 1 : 2));
    this.#begin();
    this.#moves = before;
    this.#draw();
    this.#say(t("turn.yours"), "");
  }

  #forget() {
    this.#games = [];
    rememberChoice("learn games", null);
    this.#begin();
  }

  #press(cell) {
    if (this.#isGuess) this.#reveal(cell);
    else if (turnOf(this.#now) === "X") this.#play(cell);
  }

  get #now() {
    return boardOf(this.#moves);
  }

  async #play(cell) {
    this.#moves.push(cell);
    playSound("X");
    this.#reasons.clear();
    if (this.#isOver()) return;
    this.#draw();
    this.#say(t("learn.thinking"), "");
    const { signal } = this.#asking;
    const thought = await think(this.#query, this.#strategy, signal);
    if (signal.aborted) return;
    if (!thought) return this.#say(t("learn.no_answer"), "");
    this.#thought = thought;
    if (!this.#guessing.checked) return this.#reveal(null);
    this.#isGuess = true;
    this.#draw();
    this.#say(t("learn.guess"), t("learn.guess_words"));
  }

  get #query() {
    const moves = this.#moves.map((cell) => cellName(cell, RULES)).join("");
    const more = this.#games ? `&games=${this.#games.join(",")}` : this.#lesson === "counts" ? "&counts=1" : "";
    return `moves=${moves}${more}`;
  }

  /** Show the thought, and play its move: that which was guessed, if it is as good as another. */
  async #reveal(guess) {
    const { signal } = this.#asking;
    const { decision, counts } = this.#thought;
    const isRight = decision.cells.includes(guess);
    this.#isGuess = false;
    this.#draw();
    if (guess !== null) {
      this.#inARow = isRight ? this.#inARow + 1 : 0;
      this.#say(t(isRight ? "learn.right" : "learn.wrong"), "");
      this.#happened({ type: "guessed", inARow: this.#inARow });
    }
    await this.#reasons.show(this.#thought, this.#now);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (signal.aborted) return;
    const cell = isRight ? guess : decision.cells[Math.floor(Math.random() * decision.cells.length)];
    this.#moves.push(cell);
    playSound("O");
    this.#happened({ type: "answered", reason: decision.reason, cells: decision.cells, positions: counts?.minimax ?? null });
    if (this.#isOver()) return;
    this.#draw();
    const words = t("learn.played", { cell: cellName(cell, RULES), reason: reasonWords(decision.reason) });
    this.#say(guess === null ? t("turn.yours") : t(isRight ? "learn.right" : "learn.wrong"), words);
  }

  #isOver() {
    const outcome = outcomeOf(this.#now);
    if (!outcome) return false;
    this.#draw(outcome);
    playSound("ended");
    const { winner } = outcome;
    this.#say(winner === "X" ? t("outcome.you_won") : outcomeWords(outcome), t(winner === "X" ? "learn.you_beat" : "learn.once_more"));
    this.#happened({ type: "ended", winner });
    if (this.#games) {
      this.#games = [...this.#games, this.#moves.map((cell) => cellName(cell, RULES)).join("")].slice(-MOST_GAMES);
      rememberChoice("learn games", this.#games.join(","));
    }
    return true;
  }

  #draw(outcome = null) {
    const board = this.#now;
    const isYours = turnOf(board) === "X" && !outcome;
    this.#board.show({ board, moves: this.#moves, outcome }, isYours ? "X" : this.#isGuess ? "O" : null);
    this.#show.setAttribute("aria-disabled", String(!this.#isGuess));
    this.#back.setAttribute("aria-disabled", String(!this.#moves.length));
  }

  #say(status, hint) {
    setText(this.#status, status);
    setText(this.#hint, hint);
  }
}
