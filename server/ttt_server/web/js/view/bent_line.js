// What marks make on a relative's board: the decisive line where it runs through small boards or the layers of a
// cube, or over the edges of a torus, and the small boards that are won. Loaded when one is drawn.

import { CELL, placeOf, smallOf } from "./relative.js";

/** The SVG path through these cells. */
export const pathThrough = (line, rules) => PATHS[rules.variant](line, rules);

const centreOf = (cell, rules) => placeOf(cell, rules).map((at) => at * CELL + CELL / 2);

/** A ring around each cell of a line through the layers. */
const rings = (line, rules) =>
  line.map((cell) => centreOf(cell, rules)).map(([x, y]) => `M${x - 4.4} ${y} a4.4 4.4 0 1 0 8.8 0 a4.4 4.4 0 1 0 -8.8 0`).join("");

/** The strokes of a line that may run over the edges: each step to the next cell, in halves where it wraps. */
function wrapped(line, rules) {
  const { columns, rows } = rules;
  const cells = new Set(line);
  for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [-1, 1]]) {
    const next = (cell) => (((Math.floor(cell / columns) + dy + rows) % rows) * columns + ((cell % columns) + dx + columns) % columns);
    const steps = line.filter((cell) => cells.has(next(cell)));
    if (steps.length < Math.min(line.length - 1, rules.in_a_row - 1)) continue;
    return steps
      .map((cell) => {
        const [[x, y], [toX, toY]] = [centreOf(cell, rules), centreOf(next(cell), rules)];
        const isNear = Math.abs(toX - x) <= CELL && Math.abs(toY - y) <= CELL;
        if (isNear) return `M${x} ${y}L${toX} ${toY}`;
        return `M${x} ${y}l${dx * 5} ${dy * 5}M${toX} ${toY}l${-dx * 5} ${-dy * 5}`;
      })
      .join("");
  }
  return "";
}

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"];

/** A cell of a small board, each counted by rows. */
const cellIn = (small, at) => 27 * Math.floor(small / 3) + 3 * (small % 3) + 9 * Math.floor(at / 3) + (at % 3);

/** The letters of the nine small boards after these marks. */
export function wonBoards(board) {
  const has = (small, mark) => LINES.some((line) => [...line].every((at) => board[cellIn(small, at)] === mark));
  return Array.from({ length: 9 }, (_, small) => ["X", "O"].find((mark) => has(small, mark)) ?? ".").join("");
}

/** A stroke through the large marks of each line of small boards. */
function large(line, rules) {
  const won = new Set(line.map(smallOf));
  const middleOf = (small) => centreOf(cellIn(small, 4), rules).join(" ");
  const lines = LINES.map((smalls) => [...smalls].map(Number)).filter((smalls) => smalls.every((small) => won.has(small)));
  return lines.map(([first, , last]) => `M${middleOf(first)}L${middleOf(last)}`).join("");
}

const PATHS = { cube: rings, torus: wrapped, ultimate: large };
