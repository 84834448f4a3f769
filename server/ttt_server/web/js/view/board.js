// The board to play on: buttons over an SVG. Arrow keys, letters and digits move the focus; one cell is
// in the tab order. Where pieces fall, any cell of a column is that column.

import { t } from "../model/language.js";
import { cellName, columnLetter } from "../model/words.js";
import { BoardSvg } from "./board_svg.js";
import { h } from "./dom.js";
import { FINGER_PX, Zoom } from "./zoom.js";

export class Board {
  #rules;
  #svg;
  #cells;
  #current;
  #listener;
  #board = "";
  #game = null;
  #rule = null;
  #mover = null;
  #pending = null;
  #isFree = false;
  #aimed = null;
  #aim = h("button", { type: "button", class: "main aim", hidden: true });
  #isTouched = false;
  #zoom;
  #isFirst = true;

  /**
   * `listener`: `play(cell)` is called for a press on a cell that looks playable, and
   * `full(letter)` for one on a full column where pieces fall.
   */
  constructor(rules, listener = { play: () => {}, full: () => {} }) {
    this.#rules = rules;
    this.#listener = listener;
    this.#svg = new BoardSvg(rules);
    const { columns, rows } = rules;
    this.#cells = Array.from({ length: columns * rows }, (_, cell) =>
      h("button", { type: "button", class: "cell", tabindex: "-1", "data-cell": cell }),
    );
    this.#current = Math.floor(rows / 2) * columns + Math.floor(columns / 2);
    const buttons = h(
      "div",
      { class: "cells", role: "group", "aria-label": t("room.label", { columns, rows }) },
      ...this.#cells,
    );
    const letters = Array.from({ length: columns }, (_, column) => columnLetter(column));
    const numbers = Array.from({ length: rows }, (_, row) => String(row + 1));
    const board = h(
      "div",
      { class: "board" },
      edge("letters", letters),
      edge("numbers", numbers),
      h("div", { class: "field" }, this.#svg.element, buttons),
    );
    const place = h("div", { class: "board-place" }, board);
    // Three by three are called by their places; on a larger board the edges help.
    this.element = h("div", { class: columns * rows <= 9 ? "board-frame small" : "board-frame" }, place);
    this.#zoom = new Zoom(this.element, place, this.#cells[0]);
    this.element.append(h("div", { class: "board-controls" }, this.#zoom.button, this.#aim));
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--rows", rows);
    if (rules.variant) this.#addRule();
    this.#aim.addEventListener("click", () => this.#playAimed());
    buttons.addEventListener("pointerdown", ({ pointerType }) => (this.#isTouched = pointerType !== "mouse"));
    buttons.addEventListener("click", (event) => this.#press(event));
    buttons.addEventListener("keydown", (event) => this.#moveFocus(event));
    buttons.addEventListener("focusin", (event) => this.#enter(cellOf(event)));
    buttons.addEventListener("pointerover", (event) => this.#hover(cellOf(event)));
    buttons.addEventListener("focusout", () => this.#hover(null));
    buttons.addEventListener("pointerleave", () => this.#hover(null));
    this.show(null, null);
    this.#enter(this.#current);
  }

  /**
   * Show a game, or an empty board for null; `mover`: the mark that a press makes, null for none;
   * `pending`: a move that is not answered, `{cell, mark}`.
   */
  show(game, mover, pending = null) {
    this.#game = game;
    this.#board = game?.board ?? ".".repeat(this.#cells.length);
    this.#mover = mover;
    this.#pending = pending;
    const last = game?.moves?.at(-1);
    this.#cells.forEach((button, cell) => {
      set(button, "aria-label", this.#labelOf(cell));
      set(button, "aria-disabled", String(!this.#isPlayable(cell)));
      if (cell === last) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.#svg.draw(game, pending);
    this.#rule?.show(game);
    if (this.#aimed !== null && !this.#isPlayable(this.#aimed)) this.#takeAim(null);
    this.#hover(null);
    this.#zoom.fit();
  }

  /** Only relatives need it: its module is loaded when needed. */
  async #addRule() {
    const { RuleLine } = await import("./rule_line.js");
    this.#rule = new RuleLine(this.#rules, this.element, this.#cells);
    this.show(this.#game, this.#mover, this.#pending);
  }

  /** Whether every cell may be pressed, taken or not, and no piece falls: to set up a position. */
  free(isFree) {
    this.#isFree = isFree;
  }

  /** Show signs on cells for their values, and the best cells. */
  showValues(values, best = []) {
    this.#svg.showValues(values, best);
  }

  /** Scroll a large board to a cell, and nothing else; at first, to null for its middle. */
  reveal(cell) {
    const shown = this.#cells[cell ?? this.#current];
    if (this.#isFirst) this.#zoom.centre(shown);
    else if (cell !== null) this.#zoom.reveal(shown);
    this.#isFirst = false;
  }

  focus(cell = this.#current) {
    this.#cells[cell].focus({ preventScroll: true });
  }

  #labelOf(cell) {
    const name = cellName(cell, this.#rules);
    if (this.#pending?.cell === cell) return t("room.sent_cell", { cell: name, mark: this.#pending.mark });
    const mark = this.#board[cell];
    const words = mark === "." ? t("room.empty_cell", { cell: name }) : t("room.cell", { cell: name, mark });
    const about = this.#rule?.about(cell, this.#game);
    return about ? `${words}, ${about}` : words;
  }

  /** Where pieces fall, a cell stands for its column. */
  #isPlayable(cell) {
    if (this.#isFree) return true;
    if (this.#game?.legal) return this.#mover !== null && this.#game.legal.includes(cell);
    return this.#mover !== null && this.#board[this.#rules.gravity ? cell % this.#rules.columns : cell] === ".";
  }

  #press(event) {
    const cell = cellOf(event);
    if (cell === null) return;
    if (!this.#isPlayable(cell)) return this.#refuse(cell);
    const landing = this.#landing(cell);
    const isKey = event.detail === 0;
    const isSmall = this.#cells[cell].getBoundingClientRect().width < FINGER_PX;
    const isAiming = isSmall || this.#aimed !== null;
    if (this.#isTouched && !isKey && isAiming && this.#aimed !== landing) return this.#takeAim(landing);
    this.#takeAim(null);
    this.#listener.play(landing);
  }

  #refuse(cell) {
    if (this.#mover !== null && this.#rules.gravity) this.#listener.full(columnLetter(cell % this.#rules.columns));
  }

  /** The first tap of a finger on a small cell aims, and zooms in; a second one, or the button, plays. */
  #takeAim(cell) {
    this.#aimed = cell;
    if (cell !== null && this.#isTouched) {
      this.#zoom.set(true);
      this.#zoom.centre(this.#cells[cell]);
    }
    this.#aim.hidden = cell === null;
    if (cell !== null) this.#aim.textContent = t("aim.play", { cell: cellName(cell, this.#rules) });
    this.#svg.aim(cell, this.#mover);
  }

  #playAimed() {
    const cell = this.#aimed;
    this.#takeAim(null);
    if (cell !== null && this.#isPlayable(cell)) this.#listener.play(cell);
  }

  /** The cell where a piece dropped in this cell's column comes to rest. */
  #landing(cell) {
    if (!this.#rules.gravity || this.#isFree) return cell;
    const { columns } = this.#rules;
    let lowest = cell % columns;
    while (this.#board[lowest + columns] === ".") lowest += columns;
    return lowest;
  }

  #hover(cell) {
    const isPlayable = cell !== null && this.#mover !== null && this.#isPlayable(cell);
    this.#svg.hover(isPlayable ? this.#landing(cell) : null, this.#mover);
  }

  #enter(cell) {
    if (cell === null) return;
    this.#cells[this.#current].tabIndex = -1;
    this.#cells[cell].tabIndex = 0;
    this.#current = cell;
    if (this.#cells[cell] === document.activeElement) this.#hover(cell);
  }

  #moveFocus(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { columns, rows } = this.#rules;
    let [x, y] = this.#gridOf(this.#current);
    const letter = event.key.length === 1 ? event.key.toLowerCase().charCodeAt(0) - 97 : -1;
    const arrow = ARROWS[event.key];
    if (arrow && this.#rule) [x, y] = this.#gridOf(this.#rule.step(this.#current, arrow));
    else if (arrow) [x, y] = [x + arrow[0], y + arrow[1]];
    else if (event.key === "Home") x = 0;
    else if (event.key === "End") x = columns - 1;
    else if (letter >= 0 && letter < columns) x = letter;
    else if (/^\d$/.test(event.key)) [x, y] = this.#typed(x, y, Number(event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
    x = Math.min(Math.max(x, 0), columns - 1);
    y = Math.min(Math.max(y, 0), rows - 1);
    this.#cells[y * columns + x].focus();
  }

  #gridOf(cell) {
    return [cell % this.#rules.columns, Math.floor(cell / this.#rules.columns)];
  }

  /** A digit is a row, or a column where pieces fall; after a 1 it may be the second digit. */
  #typed(x, y, digit) {
    const { gravity, columns, rows } = this.#rules;
    const [at, most] = gravity ? [x, columns] : [y, rows];
    const both = at === 0 && 10 + digit <= most ? 10 + digit : digit;
    return gravity ? [both - 1, y] : [x, both - 1];
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const edge = (kind, names) =>
  h("div", { class: `edge ${kind}`, "aria-hidden": "true" }, ...names.map((name) => h("span", {}, name)));

function set(element, attribute, value) {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

function cellOf({ target }) {
  const button = target.closest("[data-cell]");
  return button ? Number(button.dataset.cell) : null;
}
