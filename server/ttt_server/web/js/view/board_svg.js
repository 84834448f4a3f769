// A board as SVG: its lines or wells, marks, the winning line. It knows a board's shape, no rules.

import { s } from "./dom.js";

const CELL = 10; // in SVG units
const X_STROKES = "M2.6 2.6 L7.4 7.4 M7.4 2.6 L2.6 7.4";
const STAR = "M5 2.9 L5.6 4.3 L7.1 4.4 L6 5.4 L6.3 6.9 L5 6.1 L3.7 6.9 L4 5.4 L2.9 4.4 L4.4 4.3 Z";
const VALUES = [-1, 0, 1]; // others are unknown
const SMALL = 5; // the most columns and rows of a board without a frame, as on paper

export class BoardSvg {
  #rules;
  #marks;
  #notes;
  #ghost;
  #aimed;
  #pending;
  #lastRing;
  #won;
  #drawn = "";
  #shown = [];

  /** Without a `label` a screen reader skips it. */
  constructor(rules, label = null) {
    this.#rules = rules;
    const { columns, rows } = rules;
    this.#marks = s("g", { class: "marks" });
    this.#ghost = s("g", { class: "ghost" });
    this.#notes = s("g", { class: "notes" });
    this.#aimed = s("g", { class: "aimed" });
    this.#pending = s("g", { class: "pending" });
    this.#lastRing = s("path", { class: "last-ring", d: "" });
    this.#won = s("path", { class: "won", pathLength: 1, d: "" });
    const kind = rules.gravity ? "rack" : columns <= SMALL && rows <= SMALL ? "paper" : "grid";
    this.element = s(
      "svg",
      {
        class: `board-svg ${kind}`,
        viewBox: `0 0 ${columns * CELL} ${rows * CELL}`,
        ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }),
      },
      rules.gravity ? wells(rules) : lines(rules, kind),
      this.#won, // below the marks, which stay visible
      this.#ghost,
      this.#marks,
      this.#pending,
      this.#aimed,
      this.#lastRing,
      this.#notes,
    );
  }

  /**
   * Draw a game, or an empty board for null, and a move that is not answered yet. Only new marks are
   * replaced, and so animated.
   */
  draw(game, pending = null) {
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
    this.#lastRing.setAttribute("d", last === undefined || pending ? "" : corners(last, this.#rules));
    this.#pending.replaceChildren(...(pending ? [this.#mark(pending.cell, pending.mark)] : []));
    const line = game?.outcome?.line ?? [];
    this.#shown.forEach((mark, cell) => mark?.classList.toggle("winning", line.includes(cell)));
    this.#won.setAttribute("d", strokesThrough(line, this.#rules));
    this.#won.classList.toggle("drawn", line.length > 0);
  }

  /** Show a mark that a press would make; a null cell shows none. */
  hover(cell, mark) {
    this.#ghost.replaceChildren(...(cell === null ? [] : [this.#mark(cell, mark)]));
  }

  /** Show the mark that a second tap would make; a null cell shows none. */
  aim(cell, mark) {
    const ring = () => s("path", { class: "last-ring", d: corners(cell, this.#rules) });
    this.#aimed.replaceChildren(...(cell === null ? [] : [this.#mark(cell, mark), ring()]));
  }

  /** Show the values of free cells, 1, 0 or -1 by cell, and frame the best ones. */
  showValues(values, best) {
    const known = Object.entries(values).filter(([, value]) => VALUES.includes(value));
    const frame = (cell) =>
      s(
        "g",
        { transform: at(cell, this.#rules), class: "best" },
        s("rect", { x: 1.2, y: 1.2, width: 7.6, height: 7.6, rx: 1.6 }),
        VALUES.includes(values[cell]) ? null : s("path", { d: STAR }),
      );
    this.#notes.replaceChildren(
      ...best.map(frame),
      ...known.map(([cell, value]) => this.#sign(Number(cell), value)),
    );
  }

  #mark(cell, mark) {
    const shape =
      mark === "X"
        ? s("path", { d: X_STROKES, pathLength: 1 })
        : s("circle", { cx: 5, cy: 5, r: 2.7, pathLength: 1 });
    // The outer element has the position: an animation transforms the inner one.
    return s(
      "g",
      { transform: at(cell, this.#rules), class: mark },
      s("g", { class: `mark ${mark}` }, shape),
    );
  }

  #sign(cell, value) {
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

/** Four corners around a cell, which stand out by their shape. */
function corners(cell, { columns }) {
  const [x, y] = [(cell % columns) * CELL, Math.floor(cell / columns) * CELL];
  const [near, far, arm] = [0.9, 9.1, 2.2];
  const corner = (cx, cy, dx, dy) => `M${x + cx + dx * arm} ${y + cy} H${x + cx} V${y + cy + dy * arm}`;
  return [corner(near, near, 1, 1), corner(far, near, -1, 1), corner(near, far, 1, -1), corner(far, far, -1, -1)].join(
    " ",
  );
}

function lines({ columns, rows }, kind) {
  const [width, height] = [columns * CELL, rows * CELL];
  const inset = kind === "paper" ? 0.6 : 0; // keeps the round ends inside
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

/** The path through the winning lines: a stroke for each run of `in_a_row` cells or more. */
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
      if (has(x - dx, y - dy)) continue; // not the start of a run
      let run = 1;
      while (has(x + run * dx, y + run * dy)) run++;
      if (run < length) continue;
      const [ends, reach] = [run - 1, 3.2]; // a little beyond the last marks
      const [fromX, fromY] = [x * CELL + 5 - dx * reach, y * CELL + 5 - dy * reach];
      const [toX, toY] = [(x + ends * dx) * CELL + 5 + dx * reach, (y + ends * dy) * CELL + 5 + dy * reach];
      path += `M${fromX} ${fromY} L${toX} ${toY}`;
    }
  }
  return path;
}
