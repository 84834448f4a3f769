// The board to play on: buttons over an SVG. Arrow keys move the focus; one cell is in the tab order.

import { cellName, columnLetter } from "../model/words.js";
import { BoardSvg } from "./board_svg.js";
import { h } from "./dom.js";

const CONTENT = { ".": "empty" };

export class Board {
  #rules;
  #svg;
  #cells;
  #current;
  #play;
  #board = "";
  #mover = null;

  /** `play(cell)` is called for a press on a cell that looks playable. */
  constructor(rules, play = () => {}) {
    this.#rules = rules;
    this.#play = play;
    this.#svg = new BoardSvg(rules);
    const { columns, rows } = rules;
    this.#cells = Array.from({ length: columns * rows }, (_, cell) =>
      h("button", { type: "button", class: "cell", tabindex: "-1", "data-cell": cell }),
    );
    this.#current = Math.floor(rows / 2) * columns + Math.floor(columns / 2);
    const buttons = h(
      "div",
      { class: "cells", role: "group", "aria-label": `Board, ${columns} by ${rows}` },
      ...this.#cells,
    );
    const edge = (kind, names) =>
      h("div", { class: `edge ${kind}`, "aria-hidden": "true" }, ...names.map((name) => h("span", {}, name)));
    this.element = h(
      "div",
      { class: "board" },
      edge(
        "letters",
        Array.from({ length: columns }, (_, column) => columnLetter(column)),
      ),
      edge(
        "numbers",
        Array.from({ length: rows }, (_, row) => String(row + 1)),
      ),
      h("div", { class: "field" }, this.#svg.element, buttons),
    );
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--rows", rows);
    buttons.addEventListener("click", (event) => this.#press(event));
    buttons.addEventListener("keydown", (event) => this.#moveFocus(event));
    buttons.addEventListener("focusin", (event) => this.#enter(cellOf(event)));
    buttons.addEventListener("pointerover", (event) => this.#hover(cellOf(event)));
    buttons.addEventListener("focusout", () => this.#hover(null));
    buttons.addEventListener("pointerleave", () => this.#hover(null));
    this.show(null, null);
    this.#enter(this.#current);
  }

  /** Show a game, or an empty board for null; `mover`: the mark that a press makes, null for none. */
  show(game, mover) {
    const before = this.#board;
    this.#board = game?.board ?? ".".repeat(this.#cells.length);
    this.#mover = mover;
    this.#cells.forEach((button, cell) => {
      const mark = this.#board[cell];
      if (before[cell] !== mark) {
        button.setAttribute("aria-label", `${cellName(cell, this.#rules)}, ${CONTENT[mark] ?? mark}`);
      }
      const playable = mover !== null && mark === ".";
      if (button.ariaDisabled !== String(!playable)) button.ariaDisabled = String(!playable);
    });
    this.element.dataset.mover = mover ?? "";
    this.#svg.draw(game);
    this.#hover(null);
  }

  /** Show signs on cells for their values. */
  showValues(values) {
    this.#svg.showValues(values);
  }

  /** Scroll a wide board sideways to a cell, and nothing else. */
  reveal(cell) {
    const place = this.element.parentElement;
    const [seen, there] = [place.getBoundingClientRect(), this.#cells[cell].getBoundingClientRect()];
    if (there.left < seen.left || there.right > seen.right) {
      place.scrollLeft += (there.left + there.right - seen.left - seen.right) / 2;
    }
  }

  focus() {
    this.#cells[this.#current].focus({ preventScroll: true });
  }

  #press(event) {
    const cell = cellOf(event);
    if (cell !== null && this.#cells[cell].ariaDisabled === "false") this.#play(this.#landing(cell));
  }

  /**
   * The cell where a piece dropped in this cell's column comes to rest. A press anywhere in a
   * column means that cell; the server decides whether it is legal.
   */
  #landing(cell) {
    if (!this.#rules.gravity) return cell;
    const { columns } = this.#rules;
    while (this.#board[cell + columns] === ".") cell += columns;
    return cell;
  }

  #hover(cell) {
    const playable = cell !== null && this.#mover !== null && this.#board[cell] === ".";
    this.#svg.hover(playable ? this.#landing(cell) : null, this.#mover);
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
    let [x, y] = [this.#current % columns, Math.floor(this.#current / columns)];
    if (event.key === "ArrowLeft") x -= 1;
    else if (event.key === "ArrowRight") x += 1;
    else if (event.key === "ArrowUp") y -= 1;
    else if (event.key === "ArrowDown") y += 1;
    else if (event.key === "Home") x = 0;
    else if (event.key === "End") x = columns - 1;
    else return;
    event.preventDefault();
    event.stopPropagation();
    x = Math.min(Math.max(x, 0), columns - 1);
    y = Math.min(Math.max(y, 0), rows - 1);
    this.#cells[y * columns + x].focus();
  }
}

function cellOf({ target }) {
  const button = target.closest("[data-cell]");
  return button ? Number(button.dataset.cell) : null;
}
