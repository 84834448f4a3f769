// The board to play on: real buttons over a picture. Arrow keys walk; one cell is in the tab order.

import { cellName, columnLetter } from "../model/words.js";
import { Picture } from "./board_svg.js";
import { h } from "./dom.js";

const CONTENT = { ".": "empty" };

export class Board {
  #rules;
  #picture;
  #cells;
  #current;
  #play;
  #board = "";
  #mover = null;

  /** `play(cell)` is called for a press on a cell that looks playable. */
  constructor(rules, play = () => {}) {
    this.#rules = rules;
    this.#play = play;
    this.#picture = new Picture(rules);
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
      h("div", { class: "field" }, this.#picture.element, buttons),
    );
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--rows", rows);
    buttons.addEventListener("click", (event) => this.#press(event));
    buttons.addEventListener("keydown", (event) => this.#walk(event));
    buttons.addEventListener("focusin", (event) => this.#enter(cellOf(event)));
    buttons.addEventListener("pointerover", (event) => this.#aim(cellOf(event)));
    buttons.addEventListener("focusout", () => this.#aim(null));
    buttons.addEventListener("pointerleave", () => this.#aim(null));
    this.show(null, null);
    this.#enter(this.#current);
  }

  /** Shows a game, or an empty board for null; `mover`: whose mark a press makes, null for none. */
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
    this.#picture.draw(game);
    this.#aim(null);
  }

  /** Signs on cells: what they are worth. */
  note(values) {
    this.#picture.note(values);
  }

  /** Brings a cell of a board that is wider than its place into sight, and moves nothing else. */
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
   * Where a piece comes to lie that is let go in the column of this cell. Whoever aims at a column
   * means that; whether it may be played there is for the server to say.
   */
  #landing(cell) {
    if (!this.#rules.gravity) return cell;
    const { columns } = this.#rules;
    while (this.#board[cell + columns] === ".") cell += columns;
    return cell;
  }

  #aim(cell) {
    const playable = cell !== null && this.#mover !== null && this.#board[cell] === ".";
    this.#picture.hover(playable ? this.#landing(cell) : null, this.#mover);
  }

  #enter(cell) {
    if (cell === null) return;
    this.#cells[this.#current].tabIndex = -1;
    this.#cells[cell].tabIndex = 0;
    this.#current = cell;
    if (this.#cells[cell] === document.activeElement) this.#aim(cell);
  }

  #walk(event) {
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
