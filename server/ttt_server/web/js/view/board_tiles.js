// The choice of a board, as a row of pictures.

import { OFFERED } from "../model/boards.js";
import { t } from "../model/language.js";
import { markAt } from "../model/state.js";
import { boardName } from "../model/strength.js";
import { BoardSvg } from "./board_svg.js";
import { h } from "./dom.js";

/** Some moves of a game on each board, for its picture. */
const SAMPLES = {
  "3x3x3": [4, 0, 2, 6, 3, 5],
  "4x4x4": [5, 6, 10, 9, 0, 3],
  "5x5x4": [12, 7, 6, 18, 16, 8, 13],
  "7x6x4g": [38, 37, 31, 39, 30, 32, 24, 36, 40],
  "15x15x5": [112, 97, 96, 128, 80, 98, 111, 113, 127, 64],
  "19x19x5": [180, 161, 160, 200, 140, 162, 179, 181, 199, 120],
  ultimate: [40, 30, 9, 29, 8, 26, 80, 60, 21, 64, 33, 20],
  "vanishing:3x3x3": [4, 0, 2, 6, 3, 5],
  "cube:4": [5, 21, 37, 53, 22, 41, 10, 58],
  "torus:5x5x4": [12, 7, 10, 18, 14, 8, 13],
  "misere:3x3x3": [4, 0, 2, 6, 3, 5],
  "notakto:4x4x4": [5, 11, 2, 12],
  connect6: [180, 161, 162, 181, 200, 160, 179, 199, 198],
};
const WINDOW = 7; // columns and rows of a large board that its picture shows

export class BoardTiles {
  #inputs;

  /** `chosen(rules)` is called after a choice. */
  constructor(chosen) {
    this.#inputs = OFFERED.map((_, index) =>
      h("input", { type: "radio", name: "board", value: index, checked: index === 0, onchange: () => chosen(this.rules) }),
    );
    this.element = h("div", { class: "tiles-row", role: "radiogroup", "aria-label": t("tiles") }, ...OFFERED.map((rules, index) => this.#tile(rules, index)));
  }

  get rules() {
    return OFFERED[this.index];
  }

  get index() {
    return this.#inputs.findIndex(({ checked }) => checked);
  }

  /** Choose the tile of a board, where there is one. */
  choose(rules) {
    const input = this.#inputs[OFFERED.findIndex((each) => boardName(each) === boardName(rules))];
    if (input) input.checked = true;
  }

  #tile(rules, index) {
    const name = boardName(rules);
    return h(
      "label",
      { class: "tile-card" },
      this.#inputs[index],
      picture(rules, SAMPLES[name] ?? []),
      h("b", {}, rules.variant ? t(`family.${rules.variant}`) : t(`tile.${name}`)),
      h("small", {}, rules.variant ? t(`tile.about.${rules.variant}`) : t(rules.gravity ? "tile.falls" : "tile.size", rules)),
    );
  }
}

function picture(rules, moves) {
  const svg = new BoardSvg(rules);
  const cells = Array(rules.columns * rules.rows).fill(".");
  moves.forEach((cell, ply) => (cells[cell] = markAt(ply, rules)));
  svg.draw({ board: cells.join("") });
  if (rules.columns > 2 * WINDOW) {
    const middle = (rules.columns - WINDOW) * 5;
    svg.element.setAttribute("viewBox", `${middle} ${middle} ${WINDOW * 10} ${WINDOW * 10}`);
  }
  return svg.element;
}
