// The board of the front page: the first tap makes a room against the computer, and is the first move.

import { t } from "../../model/language.js";
import { strengthsOn } from "../../model/strength.js";
import { recallChoice, rememberChoice } from "../../net/token_store.js";
import { Board } from "../board.js";
import { h, setText } from "../dom.js";

const SIDES = ["X", "O", "turns"];

export class FirstMove {
  #begin;
  #rules;
  #known = [];
  #board = null;
  #place = h("div", {});
  #status = h("p", { class: "first-status", "aria-live": "polite" });
  #strength = h("select", { "aria-label": t("first.strength") });
  #side;

  /** `begin({cell, seats})` makes the room; `cell` is null where the computer moves first. */
  constructor(rules, begin) {
    this.#begin = begin;
    const options = SIDES.map((side) => h("option", { value: side }, t(`first.side.${side}`)));
    this.#side = h("select", { "aria-label": t("first.side"), onchange: () => this.#chooseSide() }, ...options);
    this.#side.value = recallChoice("side") ?? "X";
    this.#strength.addEventListener("change", () => rememberChoice("strength", this.#strength.value));
    this.element = h(
      "div",
      { class: "first-move" },
      this.#place,
      h("div", { class: "first-row" }, this.#status, h("div", { class: "picks" }, this.#strength, this.#side)),
    );
    this.setRules(rules);
  }

  setRules(rules) {
    this.#rules = rules;
    const press = () => this.#press(null);
    this.#board = new Board(rules, { play: (cell) => this.#press(cell), full: press });
    this.#place.replaceChildren(this.#board.element);
    this.#showStrengths();
    this.#show();
  }

  /** Take note of the server's strategies: some strengths need an AI that not every server has. */
  setKnown(known) {
    this.#known = known;
    this.#showStrengths();
  }

  /** Take the first move back: no room was made, and `words` say why if it was asked for here. */
  refuse(words = "") {
    this.#show();
    if (words) this.#say(words, true);
  }

  get #mark() {
    const side = this.#side.value;
    return side === "turns" ? (recallChoice("last side") === "X" ? "O" : "X") : side;
  }

  #chooseSide() {
    rememberChoice("side", this.#side.value);
    this.#show();
  }

  #showStrengths() {
    const strengths = Object.keys(strengthsOn(this.#rules, this.#known));
    const wanted = recallChoice("strength") ?? "fair";
    this.#strength.replaceChildren(
      ...strengths.map((each) => h("option", { value: each }, t("first.computer", { strength: t(`strength.${each}`) }))),
    );
    this.#strength.value = strengths.includes(wanted) ? wanted : strengths[0];
  }

  #show() {
    this.#board.show(null, this.#mark);
    this.#say(t(`first.begin.${this.#mark}`));
  }

  #say(words, isTrouble = false) {
    setText(this.#status, words);
    this.#status.classList.toggle("trouble", isTrouble);
  }

  #press(cell) {
    const mark = this.#mark;
    const ai = strengthsOn(this.#rules, this.#known)[this.#strength.value];
    const isFirst = mark === "X";
    rememberChoice("last side", mark);
    this.#board.show(null, null, isFirst ? { cell, mark } : null);
    this.#say(t("first.starting"));
    this.#begin({
      cell: isFirst ? cell : null,
      seats: isFirst ? { X: "human", O: ai } : { X: ai, O: "human" },
    });
  }
}
