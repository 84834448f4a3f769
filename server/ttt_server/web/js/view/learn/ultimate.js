// The lesson about ultimate: three positions, each with a move to find.

import { t } from "../../model/language.js";
import { after, answersTo, gameOf, POSED, RULES, winningMove } from "../../model/learn/ultimate.js";
import { TASKS } from "../../model/learn/tasks.js";
import { cellName } from "../../model/words.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";
import { addPart, playSound } from "../page.js";

await addPart("relative");

const PUZZLES = "set=ultimate&rules=ultimate";
const boardWords = (small) => t(`relative.small.${small}`);

export class Ultimate {
  #happened;
  #task = 0;
  #game;
  #board = new Board(RULES, { play: (cell) => this.#play(cell), full: () => {} });
  #status = h("h2", { class: "prompt" });
  #hint = h("p", { class: "hint-words" });
  #again;
  #show;
  #numbers;
  #rules;

  /** `happened(happening)` is told what goes on. */
  constructor(happened) {
    this.#happened = happened;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    this.#numbers = TASKS.map((task) => button(t("learn.ultimate.task", { number: task + 1 }), () => this.#begin(task)));
    this.#again = button(t("learn.puzzle.again"), () => this.#begin(this.#task));
    this.#show = button(t("learn.puzzle.show"), () => this.#reveal());
    this.#rules = TASKS.map((task) => h("li", {}, h("p", {}, t(`learn.ultimate.rule.${task}`))));
    this.board = h(
      "div",
      { class: "duel" },
      h("div", { class: "answers", role: "group", "aria-label": t("learn.tasks") }, ...this.#numbers),
      h("div", { role: "status" }, this.#status, this.#hint),
      this.#board.element,
      h("div", { class: "buttons" }, this.#again, this.#show),
    );
    this.panel = h(
      "section",
      { class: "panel reasons", "aria-label": t("learn.ultimate.rules") },
      h("h2", {}, t("learn.ultimate.rules")),
      h("ol", { class: "reason-list" }, ...this.#rules),
      h("p", { class: "legend" }, t("learn.ultimate.goal")),
      h("p", {}, h("a", { class: "button quiet", href: `#${PUZZLES}` }, t("learn.ultimate.puzzles"))),
    );
    this.#begin(0);
  }

  #begin(task) {
    this.#task = task;
    this.#game = gameOf(POSED[task].moves);
    this.#numbers.forEach((button, number) => button.setAttribute("aria-pressed", String(number === task)));
    this.#rules.forEach((rule, number) => rule.classList.toggle("fits", number === task));
    this.#draw(true);
    this.#say(this.#words("ask"), this.#words("ask_words"));
  }

  /** Texts of this task, which may name the small board that it is about. */
  #words(kind, values = {}) {
    return t(`learn.ultimate.${kind}.${this.#task}`, { board: boardWords(POSED[this.#task].target), ...values });
  }

  #play(cell) {
    const before = this.#game;
    this.#game = after(before, cell);
    playSound("X");
    if (!POSED[this.#task].isDone(before, this.#game)) return this.#refute(cell);
    this.#praise(t("learn.right"), cell);
    this.#happened({ type: "solved", task: this.#task });
  }

  #reveal() {
    if (this.#show.getAttribute("aria-disabled") === "true") return;
    const [cell] = answersTo(this.#task);
    this.#game = after(gameOf(POSED[this.#task].moves), cell);
    this.#praise(t("learn.puzzle.answer"), cell);
  }

  #praise(status, cell) {
    this.#draw(false);
    this.#show.setAttribute("aria-disabled", "true");
    this.#say(status, this.#words("because", { cell: cellName(cell, RULES), sent: boardWords(this.#game.sent) }));
  }

  /** Say what a wrong move does, and play the answer that wins by it. */
  #refute(cell) {
    const { sent } = this.#game;
    const name = cellName(cell, RULES);
    const words = [sent === null ? t("learn.ultimate.free", { cell: name }) : t("learn.ultimate.sends", { cell: name, board: boardWords(sent) })];
    const answer = winningMove(this.#game);
    if (answer !== null) {
      this.#game = after(this.#game, answer);
      words.push(t("learn.ultimate.wins", { cell: cellName(answer, RULES) }));
    }
    this.#draw(false);
    this.#say(t("learn.puzzle.not", { cell: name }), words.join(" "));
  }

  #draw(isOpen) {
    this.#board.show(this.#game, isOpen ? "X" : null);
    this.#again.setAttribute("aria-disabled", String(isOpen));
    this.#show.setAttribute("aria-disabled", "false");
  }

  #say(status, hint) {
    setText(this.#status, status);
    setText(this.#hint, hint);
  }
}
