// How strong they are: any position, what each strategy would do in it, and whether that is right.

import { optionalText, t } from "../../model/language.js";
import { lessonOf } from "../../model/lessons.js";
import { boardOf, outcomeOf, turnOf } from "../../model/learn/three.js";
import { cellNames, nameOf, outcomeWords } from "../../model/words.js";
import { fetchJson } from "../../net/address.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3, gravity: false };
const JUDGED_MS = 250; // after the last of some quick moves
const AGAIN_MS = 1500;
const TRIES = 20; // to have an answer of every method, on a busy server

export class Strength {
  #happened;
  #moves = [];
  #timer = null;
  #asking = new AbortController();
  #board = new Board(RULES, { play: (cell) => this.#go([...this.#moves, cell]), full: () => {} });
  #status = h("h2", { class: "prompt" });
  #hint = h("p", { class: "hint-words" });
  #table = h("div", { class: "comparison" });
  #note = h("p", { role: "status" });
  #back;

  /** `happened(happening)` is told what goes on. */
  constructor(happened) {
    this.#happened = happened;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    this.#back = button(t("learn.back"), () => this.#go(this.#moves.slice(0, -1)));
    this.board = h(
      "div",
      { class: "duel" },
      h("div", { role: "status" }, this.#status, this.#hint),
      this.#board.element,
      h("div", { class: "buttons" }, this.#back, button(t("learn.again"), () => this.#go([]))),
    );
    this.panel = h(
      "section",
      { class: "panel reasons", "aria-label": t("learn.judge") },
      h("h2", {}, t("learn.judge")),
      this.#note,
      this.#table,
      h("p", { class: "legend" }, t("learn.judge.words")),
    );
    this.#go([]);
  }

  #go(moves) {
    this.#moves = moves;
    const board = boardOf(moves);
    const outcome = outcomeOf(board);
    this.#board.show({ board, moves, outcome }, outcome ? null : turnOf(board));
    this.#back.setAttribute("aria-disabled", String(!moves.length));
    setText(this.#status, outcome ? outcomeWords(outcome) : t("game.to_move", { mark: turnOf(board) }));
    setText(this.#hint, t(outcome ? "learn.once_more" : "learn.judge.play"));
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#table.replaceChildren();
    setText(this.#note, outcome ? "" : t("learn.thinking"));
    clearTimeout(this.#timer);
    if (!outcome) this.#timer = setTimeout(() => this.#judge(board, this.#asking.signal), JUDGED_MS);
  }

  async #judge(board, signal, tries = TRIES) {
    const [compared, explored] = await Promise.all([
      fetchJson(`compare?board=${board}`, null, signal),
      fetchJson(`explore?board=${board}`, null, signal),
    ]);
    if (signal.aborted) return;
    const isWhole = compared && explored && !compared.strategies.some(({ error }) => error);
    if (!isWhole && tries) this.#timer = setTimeout(() => this.#judge(board, signal, tries - 1), AGAIN_MS);
    if (!compared || !explored) {
      if (!tries) setText(this.#note, t("learn.no_answer"));
      return;
    }
    const { values } = explored;
    const best = Math.max(...Object.values(values));
    const judged = compared.strategies.filter(({ cells }) => cells).map((each) => ({ ...each, wrong: each.cells.filter((cell) => values[cell] < best) }));
    this.#table.replaceChildren(tableOf(judged));
    const winner = best === 0 ? null : best > 0 ? turnOf(board) : turnOf(board) === "X" ? "O" : "X";
    setText(this.#note, t("learn.judge.best", { value: winner ? t("learn.value.wins", { mark: winner }) : t("learn.value.draw") }));
    const wrong = judged.filter((each) => each.wrong.length).map(({ strategy }) => strategy);
    this.#happened({ type: "judged", wrong: [...new Set(wrong)] });
  }
}

const tableOf = (judged) =>
  h(
    "table",
    {},
    h("caption", { class: "unseen" }, t("learn.judge")),
    h("thead", {}, h("tr", {}, ...["strategy", "takes", "verdict"].map((column) => h("th", { scope: "col" }, t(`learn.judge.${column}`))))),
    h("tbody", {}, ...judged.map(rowOf)),
  );

function rowOf({ strategy, level, cells, wrong }) {
  const verdict = !wrong.length ? "right" : wrong.length === cells.length ? "wrong" : "perhaps";
  const name = h("small", {}, nameOf({ kind: "ai", name: strategy, level }));
  const lesson = lessonOf(strategy);
  const words = optionalText(`learn.method.${strategy}`) ?? t(`learn.name.${lesson}`);
  const title = lesson === "strength" ? words : h("a", { href: `#${lesson}` }, words);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, title, " ", name),
    h("td", {}, cellNames(cells, RULES, 4)),
    h("td", { class: `verdict ${verdict}` }, t(`learn.judge.${verdict}`, { count: wrong.length })),
  );
}
