// What relatives of the game draw on their boards. Loaded where one is shown.

import { s } from "./dom.js";
import { addStyles } from "./page.js";

export const CELL = 10; // in SVG units
const GAP = 0.4; // cells between small boards, and layers
const BENT = new Set(["cube", "torus", "ultimate"]); // lines that are no straight strokes
const LOSING = new Set(["misere", "notakto"]);
const BIG = { X: "M6 6 L24 24 M24 6 L6 24", O: "M15 5.5 a9.5 9.5 0 1 1 -0.01 0 Z" };

const ACROSS = matchMedia("(max-width: 36rem)").matches ? 2 : 3; // layers of a small cube

await addStyles("css/relatives.css");

/** More on the SVG of a board, under and over its marks. */
export class Relative {
  #under = s("g", { class: "under-marks" });
  #line = s("path", { class: "won drawn", pathLength: 1, d: "" });
  #over = s("g", { class: "over-marks" }, this.#line);
  #rules;
  #game = null;
  placeOf = placeOf;

  constructor(rules) {
    this.#rules = rules;
    if (rules.variant === "torus") this.#over.append(...seams(rules));
  }

  /** Add what this draws to an SVG: before its first layer of marks, and after its last. */
  dress(svg, first, last) {
    const [width, height] = sizeOf(this.#rules);
    if (width !== this.#rules.columns) svg.setAttribute("viewBox", `0 0 ${width * CELL} ${height * CELL}`);
    svg.classList.add(LOSING.has(this.#rules.variant) ? "loses-by-line" : this.#rules.variant);
    first.before(this.#under);
    last.after(this.#over);
  }

  /** Draw what a game has beside its marks, which are elements by cell; return the line's path where it is another. */
  draw(game, marks) {
    const { variant } = this.#rules;
    const isUltimate = variant === "ultimate";
    this.#game = game;
    if (isUltimate) this.#drawSmallBoards(game?.boards ?? "".padEnd(9));
    const leaving = Object.values(game?.leaving ?? {});
    if (variant === "vanishing") marks.forEach((mark, cell) => mark?.classList.toggle("leaving", leaving.includes(cell)));
    if (!BENT.has(variant)) return null;
    this.#line.setAttribute("d", "");
    // A record of a game tells the marks alone.
    if (game?.outcome?.line || (isUltimate && game?.moves && !game.boards)) this.drawn = this.#workOut(game);
    return "";
  }

  async #workOut(game) {
    const { pathThrough, wonBoards } = await import("./bent_line.js");
    if (this.#game !== game) return;
    if (this.#rules.variant === "ultimate") this.#drawSmallBoards(wonBoards(game.board));
    this.#line.setAttribute("d", pathThrough(game.outcome?.line ?? [], this.#rules));
  }

  #drawSmallBoards(boards) {
    const game = this.#game;
    const open = new Set((game?.outcome ? [] : (game?.legal ?? [])).map(smallOf));
    const isAnywhere = Boolean(game?.boards && !game.legal && !game.outcome);
    this.#under.replaceChildren(
      ...[...boards].map((_, small) =>
        s("rect", { class: `small-board${open.has(small) || isAnywhere ? " open" : ""}`, ...cornerOf(small), width: 30.6, height: 30.6, rx: 2 }),
      ),
    );
    this.#over.replaceChildren(
      ...[...boards].flatMap((mark, small) => {
        if (mark !== "X" && mark !== "O") return [];
        const { x, y } = cornerOf(small);
        return s("g", { class: `big ${mark}`, transform: `translate(${x + 0.3} ${y + 0.3})` }, s("rect", { width: 30, height: 30, rx: 2 }), s("path", { d: BIG[mark] }));
      }),
      this.#line,
    );
  }
}

function cornerOf(small) {
  const [x, y] = placeOf(27 * Math.floor(small / 3) + 3 * (small % 3), { columns: 9, rows: 9, variant: "ultimate" });
  return { x: x * CELL - 0.3, y: y * CELL - 0.3 };
}

/** Edges that are one: a pattern for left and right, another for top and bottom. */
function seams(rules) {
  const [width, height] = sizeOf(rules).map((size) => size * CELL);
  const seam = (kind, d) => s("path", { class: `seam ${kind}`, d });
  return [seam("sides", `M0.45 2V${height - 2}M${width - 0.45} 2V${height - 2}`), seam("ends", `M2 0.45H${width - 2}M2 ${height - 0.45}H${width - 2}`)];
}

/** The column and row of a cell: small boards stand apart, and the layers of a cube side by side, at most two of four. */
export function placeOf(cell, { columns, rows, variant }) {
  const [x, y] = [cell % columns, Math.floor(cell / columns)];
  if (variant === "ultimate") return [x + GAP * Math.floor(x / 3), y + GAP * Math.floor(y / 3)];
  if (variant !== "cube") return [x, y];
  const layers = rows / columns;
  const [layer, across] = [Math.floor(y / columns), layers === 4 ? 2 : ACROSS];
  return [x + (layer % across) * (columns + GAP), (y % columns) + Math.floor(layer / across) * (columns + GAP)];
}

/** The width and height of a board in cells. */
export function sizeOf(rules) {
  const places = Array.from({ length: rules.columns * rules.rows }, (_, cell) => placeOf(cell, rules));
  return [0, 1].map((side) => 1 + Math.max(...places.map((place) => place[side])));
}

/** The small board of a cell of ultimate, by rows. */
export const smallOf = (cell) => 3 * Math.floor(cell / 27) + Math.floor((cell % 9) / 3);
