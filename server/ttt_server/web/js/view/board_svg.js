// A board as a picture: lines or wells, marks, the line that won. It knows a board's shape, no rules.

import { s } from "./dom.js";

const CELL = 10; // of the picture's own units
const X_STROKES = "M2.6 2.6 L7.4 7.4 M7.4 2.6 L2.6 7.4";
const SMALL = 5; // up to so many columns and rows a board is drawn as on paper, without a frame

export class Picture {
  #rules;
  #marks;
  #notes;
  #ghost;
  #won;
  #drawn = "";
  #shown = [];

  /** Without a `label` it is decoration for what lies over it. */
  constructor(rules, label = null) {
    this.#rules = rules;
    const { columns, rows } = rules;
    this.#marks = s("g", { class: "marks" });
    this.#ghost = s("g", { class: "ghost" });
    this.#notes = s("g", { class: "notes" });
    this.#won = s("path", { class: "won", pathLength: 1, d: "" });
    const kind = rules.gravity ? "rack" : columns <= SMALL && rows <= SMALL ? "paper" : "grid";
    this.element = s(
      "svg",
      {
        class: `picture ${kind}`,
        viewBox: `0 0 ${columns * CELL} ${rows * CELL}`,
        ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }),
      },
      rules.gravity ? wells(rules) : lines(rules, kind),
      this.#won, // as with a marker pen: the marks stay to be seen
      this.#ghost,
      this.#marks,
      this.#notes,
    );
  }

  /** Draws a game, or an empty board for null. Only what is new is drawn anew, and so moves. */
  draw(game) {
    const board = game?.board ?? "";
    for (let cell = 0; cell < this.#rules.columns * this.#rules.rows; cell++) {
      const mark = board[cell] ?? ".";
      if ((this.#drawn[cell] ?? ".") === mark) continue;
      this.#shown[cell]?.remove();
      this.#shown[cell] = mark === "." ? null : this.#mark(cell, mark);
      if (this.#shown[cell]) this.#marks.append(this.#shown[cell]);
    }
    this.#drawn = board;
    const last = game?.moves?.at(-1);
    this.#shown.forEach((mark, cell) => mark?.classList.toggle("last", cell === last));
    const line = game?.outcome?.line ?? [];
    this.#shown.forEach((mark, cell) => mark?.classList.toggle("winning", line.includes(cell)));
    this.#won.setAttribute("d", strokesThrough(line, this.#rules));
    this.#won.classList.toggle("drawn", line.length > 0);
  }

  /** A mark that is not there yet; null for none. */
  hover(cell, mark) {
    this.#ghost.replaceChildren(...(cell === null ? [] : [this.#mark(cell, mark)]));
  }

  /** What free cells are worth: 1, 0 or -1 by cell. */
  note(values) {
    const known = Object.entries(values).filter(([, value]) => value !== null);
    this.#notes.replaceChildren(...known.map(([cell, value]) => this.#note(Number(cell), value)));
  }

  #mark(cell, mark) {
    const shape =
      mark === "X"
        ? s("path", { d: X_STROKES, pathLength: 1 })
        : s("circle", { cx: 5, cy: 5, r: 2.7, pathLength: 1 });
    // The place is on the outer element: the inner one moves by itself when it is new.
    return s(
      "g",
      { transform: at(cell, this.#rules), class: mark },
      s("g", { class: `mark ${mark}` }, shape),
    );
  }

  #note(cell, value) {
    const kind = ["loses", "draws", "wins"][value + 1];
    const sign = { loses: "M4.1 5 H5.9", draws: "M4.1 4.5 H5.9 M4.1 5.5 H5.9", wins: "M4 5 H6 M5 4 V6" }[
      kind
    ];
    return s(
      "g",
      { transform: at(cell, this.#rules), class: `note ${kind}` },
      s("circle", { cx: 5, cy: 5, r: 2 }),
      s("path", { d: sign }),
    );
  }
}

const at = (cell, { columns }) =>
  `translate(${(cell % columns) * CELL} ${Math.floor(cell / columns) * CELL})`;

function lines({ columns, rows }, kind) {
  const [width, height] = [columns * CELL, rows * CELL];
  const inset = kind === "paper" ? 0.6 : 0; // round ends, that stay inside
  let path = "";
  for (let x = 1; x < columns; x++) path += `M${x * CELL} ${inset} V${height - inset}`;
  for (let y = 1; y < rows; y++) path += `M${inset} ${y * CELL} H${width - inset}`;
  const sheet = kind === "grid" ? s("rect", { class: "sheet", width, height, rx: 2 }) : null;
  return s("g", {}, sheet, s("path", { class: "lines", d: path }));
}

function wells({ columns, rows }) {
  const holes = Array.from({ length: columns * rows }, (_, cell) =>
    s("circle", { cx: (cell % columns) * CELL + 5, cy: Math.floor(cell / columns) * CELL + 5, r: 4.1 }),
  );
  return s(
    "g",
    { class: "wells" },
    s("rect", { width: columns * CELL, height: rows * CELL, rx: 3 }),
    ...holes,
  );
}

/** Strokes through the cells of the winning lines: each run of enough of them in one direction. */
function strokesThrough(cells, { columns, in_a_row: length }) {
  const places = new Set(cells.map((cell) => `${cell % columns},${Math.floor(cell / columns)}`));
  const has = (x, y) => places.has(`${x},${y}`);
  let path = "";
  for (const cell of cells) {
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    for (const [dx, dy] of [
      [1, 0],
      [0, 1],
      [1, 1],
      [-1, 1],
    ]) {
      if (has(x - dx, y - dy)) continue; // not where it begins
      let run = 1;
      while (has(x + run * dx, y + run * dy)) run++;
      if (run < length) continue;
      const [ends, reach] = [run - 1, 3.2]; // a little over the last marks
      const [fromX, fromY] = [x * CELL + 5 - dx * reach, y * CELL + 5 - dy * reach];
      const [toX, toY] = [(x + ends * dx) * CELL + 5 + dx * reach, (y + ends * dy) * CELL + 5 + dy * reach];
      path += `M${fromX} ${fromY} L${toX} ${toY}`;
    }
  }
  return path;
}
