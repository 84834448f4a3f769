// A puzzle: a position, a question, and what is wrong with an answer that is not the one.

import { t } from "../../model/language.js";
import { answerTo, withMark } from "../../model/learn/refute.js";
import { boardsOf } from "../../model/learn/ultimate.js";
import { boardName } from "../../model/strength.js";
import { cellName, rulesWords } from "../../model/words.js";
import { explorePage, fetchJson } from "../../net/address.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";
import { playSound } from "../page.js";

const other = (mark) => (mark === "X" ? "O" : "X");

export class Puzzle {
  #puzzle;
  #solved;
  #isSolved;
  #isTried = false;
  #board;
  #status = h("h2", { class: "prompt" });
  #hint = h("p", { class: "hint-words" });
  #answers = null;
  #again;
  #show;

  /** `solved()` is called for the right answer, once. */
  constructor(puzzle, isSolved, solved) {
    this.#puzzle = puzzle;
    this.#isSolved = isSolved;
    this.#solved = solved;
    const { kind, rules, board, turn } = puzzle;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    this.#board = new Board(rules, { play: (cell) => this.#try(cell), full: () => {} });
    if (kind === "who_wins") this.#answers = ["X", "O", null].map((winner) => button(valueWords(winner), () => this.#say(winner)));
    this.#again = button(t("learn.puzzle.again"), () => this.#begin());
    this.#show = button(t("learn.puzzle.show"), () => this.#reveal());
    const query = `rules=${boardName(rules)}&board=${board}&moves=`;
    this.element = h(
      "section",
      { class: "puzzle", "aria-label": t(`learn.kind.${kind}`) },
      h(
        "div",
        { class: "duel" },
        h("p", { class: "pill" }, t(`learn.kind.${kind}`)),
        h("div", { role: "status" }, this.#status, this.#hint),
        this.#answers ? h("div", { class: "answers", role: "group", "aria-label": t("learn.kind.who_wins") }, ...this.#answers) : null,
      ),
      this.#board.element,
      h(
        "div",
        { class: "duel" },
        h("div", { class: "buttons" }, this.#again, this.#show, h("a", { class: "button quiet", href: explorePage(query) }, t("learn.puzzle.explore"))),
        h("small", {}, rulesWords(rules)),
      ),
    );
    this.#begin();
    if (isSolved) this.#praise();
  }

  #begin() {
    const { kind, board, turn } = this.#puzzle;
    this.#isTried = false;
    this.#draw(board, []);
    setText(this.#status, t(`learn.ask.${kind}`, { mark: turn, other: other(turn) }));
    setText(this.#hint, t(`learn.ask_words.${this.#asked}`, { mark: turn, other: other(turn) }));
    this.#enable();
  }

  /** What is asked, as its texts are named: they are others on the board of a relative. */
  get #asked() {
    const { kind, rules } = this.#puzzle;
    return rules.variant ? `${kind}.${rules.variant}` : kind;
  }

  #enable() {
    const isOpen = !this.#isTried && !this.#isSolved;
    this.#again.setAttribute("aria-disabled", String(!this.#isTried));
    this.#show.setAttribute("aria-disabled", String(this.#isSolved));
    for (const button of this.#answers ?? []) button.setAttribute("aria-disabled", String(!isOpen));
  }

  #draw(board, moves) {
    const { kind, turn } = this.#puzzle;
    const isOpen = !this.#isTried && !this.#isSolved && kind !== "who_wins";
    const { legal } = this.#puzzle; // of a relative; a move has changed what is legal
    const boards = this.#puzzle.boards && boardsOf(board);
    this.#board.show({ board, boards, moves, legal: moves.length ? [] : legal, outcome: null }, isOpen ? turn : null);
  }

  #try(cell) {
    if (cell === this.#puzzle.cell) this.#solve();
    else this.#refute(cell);
  }

  #say(winner) {
    if (this.#isTried || this.#isSolved) return;
    if (winner === this.#puzzle.winner) return this.#solve();
    this.#isTried = true;
    setText(this.#status, t("learn.puzzle.no"));
    setText(this.#hint, t("learn.puzzle.no_words"));
    this.#enable();
  }

  #solve() {
    this.#isSolved = true;
    playSound("ended");
    this.#praise();
    this.#solved();
  }

  /** Show the answer, without its being solved. */
  #reveal() {
    if (this.#isSolved) return;
    this.#isTried = true;
    this.#praise();
    setText(this.#status, t("learn.puzzle.answer"));
  }

  #praise() {
    const { kind, board, cell, turn, winner } = this.#puzzle;
    this.#draw(cell === null ? board : withMark(board, cell, turn), cell === null ? [] : [cell]);
    setText(this.#status, t("learn.right"));
    const name = cell === null ? "" : cellName(cell, this.#puzzle.rules);
    setText(this.#hint, t(`learn.because.${this.#asked}`, { cell: name, mark: turn, other: other(turn), value: valueWords(winner) }));
    this.#enable();
  }

  /** Play a wrong move, and what the other side answers. */
  async #refute(cell) {
    const { kind, rules, board, turn } = this.#puzzle;
    this.#isTried = true;
    const after = withMark(board, cell, turn);
    this.#draw(after, [cell]);
    this.#enable();
    setText(this.#status, t("learn.puzzle.not", { cell: cellName(cell, rules) }));
    const answer = kind === "win_in_two" && !rules.variant ? answerTo(after, rules, turn) : await this.#bestAnswer(cell);
    if (answer === null || !this.#isTried) return setText(this.#hint, "");
    this.#draw(withMark(after, answer, other(turn)), [cell, answer]);
    const names = { other: other(turn), mark: turn, answer: cellName(answer, rules) };
    setText(this.#hint, t(`learn.spoiled.${this.#asked}`, names));
  }

  async #bestAnswer(cell) {
    const { rules, board } = this.#puzzle;
    const told = await fetchJson(`explore?rules=${boardName(rules)}&board=${board}&moves=${cellName(cell, rules)}`);
    return told?.best?.[0] ?? null;
  }
}

const valueWords = (winner) => (winner ? t("learn.value.wins", { mark: winner }) : t("learn.value.draw"));
