// A board as SVG: tiles, wells or lines, with marks and the winning line. It knows a board's shape, no rules.

import { s } from "./dom.js";

const CELL = 10; // in SVG units
const X_STROKES = "M3 3 L7 7 M7 3 L3 7";
const STAR = "M5 2.9 L5.6 4.3 L7.1 4.4 L6 5.4 L6.3 6.9 L5 6.1 L3.7 6.9 L4 5.4 L2.9 4.4 L4.4 4.3 Z";
const VALUES = [-1, 0, 1]; // others are unknown
const GOBAN = 13; // from this many columns and rows on, marks are stones on crossing lines

export class BoardSvg {
  #rules;
  #marks;
  #notes;
  #ghost;
  #aimed;
  #pending;
  #lastRing;
  #won;
  #kind;
  #drawn = "";
  #shown = [];
  #ground;
  #relative = null;
  #placeOf = placeOnGrid;
  #game = null;
  #sent = null;

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
    this.#kind = rules.gravity ? "rack" : Math.min(columns, rows) >= GOBAN ? "goban" : "tiles";
    this.element = s(
      "svg",
      {
        class: `board-svg ${this.#kind}`,
        viewBox: `0 0 ${columns * CELL} ${rows * CELL}`,
        ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }),
      },
      (this.#ground = GROUNDS[this.#kind](rules, placeOnGrid)),
      this.#ghost,
      this.#marks,
      this.#won,
      this.#pending,
      this.#aimed,
      this.#lastRing,
      this.#notes,
    );
    this.ready = rules.variant && this.#addRelative();
  }

  /** Only relatives need it. */
  async #addRelative() {
    const { Relative } = await import("./relative.js");
    this.#relative = new Relative(this.#rules);
    this.#placeOf = this.#relative.placeOf;
    this.#ground.replaceWith(GROUNDS[this.#kind](this.#rules, this.#placeOf));
    this.#relative.dress(this.element, this.#ghost, this.#won);
    this.#drawn = "";
    this.#marks.replaceChildren();
    this.draw(this.#game, this.#sent);
  }

  /**
   * Draw a game, or an empty board for null, and a move that is not answered yet. Only new marks are
   * replaced, and so animated.
   */
  draw(game, pending = null) {
    this.#game = game;
    this.#sent = pending;
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
    this.#lastRing.setAttribute("d", last === undefined || pending ? "" : frame(this.#cornerOf(last), this.#kind));
    this.#pending.replaceChildren(...(pending ? [this.#mark(pending.cell, pending.mark)] : []));
    const line = game?.outcome?.line ?? [];
    this.#shown.forEach((mark, cell) => mark?.classList.toggle("winning", line.includes(cell)));
    const own = this.#relative?.draw(game, this.#shown);
    this.#won.setAttribute("d", own ?? strokesThrough(line, this.#rules, (cell) => this.#cornerOf(cell)));
    this.#won.classList.toggle("drawn", line.length > 0);
  }

  get later() {
    return this.#relative?.drawn;
  }

  /** Show a mark that a press would make; a null cell shows none. */
  hover(cell, mark) {
    this.#ghost.replaceChildren(...(cell === null ? [] : [this.#mark(cell, mark)]));
  }

  /** Show the mark that a second tap would make; a null cell shows none. */
  aim(cell, mark) {
    const ring = () => s("path", { class: "last-ring", d: frame(this.#cornerOf(cell), this.#kind) });
    this.#aimed.replaceChildren(...(cell === null ? [] : [this.#mark(cell, mark), ring()]));
  }

  /** Show the values of free cells, 1, 0 or -1 by cell, and frame the best ones. */
  showValues(values, best) {
    const known = Object.entries(values).filter(([, value]) => VALUES.includes(value));
    const framed = (cell) =>
      s(
        "g",
        { transform: this.#at(cell), class: "best" },
        s("rect", { x: 1.2, y: 1.2, width: 7.6, height: 7.6, rx: 1.6 }),
        VALUES.includes(values[cell]) ? null : s("path", { d: STAR }),
      );
    this.#notes.replaceChildren(
      ...best.map(framed),
      ...known.map(([cell, value]) => this.#sign(Number(cell), value)),
    );
  }

  #cornerOf(cell) {
    return cornerAt(this.#placeOf(cell, this.#rules));
  }

  #at(cell) {
    return `translate(${this.#cornerOf(cell).join(" ")})`;
  }

  #mark(cell, mark) {
    // The outer element has the position: an animation transforms the inner one.
    return s(
      "g",
      { transform: this.#at(cell), class: mark },
      this.#kind === "tiles" ? tile("under") : null,
      s(
        "g",
        { class: `mark ${mark}` },
        s("circle", { class: "stone", cx: 5, cy: 5, r: 4.3 }),
        mark === "X"
          ? s("path", { d: X_STROKES, pathLength: 1 })
          : s("circle", { cx: 5, cy: 5, r: this.#kind === "tiles" ? 2.3 : 1.9, pathLength: 1 }),
      ),
    );
  }

  #sign(cell, value) {
    const kind = ["loses", "draws", "wins"][value + 1];
    const sign = { loses: "M4.1 5 H5.9", draws: "M4.1 4.5 H5.9 M4.1 5.5 H5.9", wins: "M4 5 H6 M5 4 V6" }[
      kind
    ];
    return s(
      "g",
      { transform: this.#at(cell), class: `note ${kind}` },
      s("circle", { cx: 5, cy: 5, r: 2 }),
      s("path", { d: sign }),
    );
  }
}

/** The column and row of a cell, where nothing is between them. */
const placeOnGrid = (cell, { columns }) => [cell % columns, Math.floor(cell / columns)];

const cornerAt = ([x, y]) => [x * CELL, y * CELL];

/** A frame around a cell: whole around a tile, else four corners, which stand out by their shape. */
function frame([x, y], kind) {
  if (kind === "tiles") return tilePath(x + 0.57, y + 0.57, 8.86);
  const [near, far, arm] = [0.4, 9.6, 2];
  const corner = (cx, cy, dx, dy) => `M${x + cx + dx * arm} ${y + cy} H${x + cx} V${y + cy + dy * arm}`;
  return [corner(near, near, 1, 1), corner(far, near, -1, 1), corner(near, far, 1, -1), corner(far, far, -1, -1)].join(" ");
}

/** A square with round corners, from its upper left. */
const tilePath = (x, y, size) => {
  const [round, edge] = [1.1, size - 2.2];
  const turn = (dx, dy) => `a${round} ${round} 0 0 1 ${dx * round} ${dy * round}`;
  return `M${x + round} ${y}h${edge}${turn(1, 1)}v${edge}${turn(-1, 1)}h${-edge}${turn(-1, -1)}v${-edge}${turn(1, -1)}z`;
};

const tile = (kind) => s("rect", { class: kind, x: 0.35, y: 0.35, width: 9.3, height: 9.3, rx: 1.1 });

const centre = (cell, columns) => [(cell % columns) * CELL + 5, Math.floor(cell / columns) * CELL + 5];

/** What a board is drawn on, by its kind. One element however many cells there are, where that can be. */
const GROUNDS = {
  tiles(rules, placeOf) {
    let path = "";
    for (let cell = 0; cell < rules.columns * rules.rows; cell++) {
      const [x, y] = cornerAt(placeOf(cell, rules));
      path += tilePath(x + 0.35, y + 0.35, 9.3);
    }
    return s("path", { class: "ground", d: path });
  },

  goban({ columns, rows }) {
    const [right, bottom] = [columns * CELL - 5, rows * CELL - 5];
    let path = "";
    for (let x = 5; x <= right; x += CELL) path += `M${x} 5V${bottom}`;
    for (let y = 5; y <= bottom; y += CELL) path += `M5 ${y}H${right}`;
    const stars = starPoints(columns).flatMap((x) => starPoints(rows).map((y) => y * columns + x));
    const dots = stars.map((cell) => centre(cell, columns)).map(([x, y]) => `M${x} ${y}h0`);
    return s(
      "g",
      {},
      s("rect", { class: "ground", width: columns * CELL, height: rows * CELL, rx: 2 }),
      s("path", { class: "lines", d: path }),
      s("path", { class: "stars", d: dots.join("") }),
    );
  },

  rack({ columns, rows }) {
    const cells = Array.from({ length: columns * rows }, (_, cell) => centre(cell, columns));
    return s(
      "g",
      {},
      s("rect", { class: "ground", width: columns * CELL, height: rows * CELL, rx: 3 }),
      ...cells.map(([cx, cy]) => s("circle", { class: "well", cx, cy, r: 4.1 })),
    );
  },
};

/** The lines with a star point: the fourth from each edge, and the middle one. */
const starPoints = (count) => (count % 2 ? [3, (count - 1) / 2, count - 4] : [3, count - 4]);

/** The path through the winning lines: a stroke for each run of `in_a_row` cells or more. */
function strokesThrough(cells, { columns, in_a_row: length }, cornerOf) {
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
      const [[left, top], [right, bottom]] = [cell, cell + ends * (dx + dy * columns)].map(cornerOf);
      const [fromX, fromY] = [left + 5 - dx * reach, top + 5 - dy * reach];
      const [toX, toY] = [right + 5 + dx * reach, bottom + 5 + dy * reach];
      path += `M${fromX} ${fromY} L${toX} ${toY}`;
    }
  }
  return path;
}
