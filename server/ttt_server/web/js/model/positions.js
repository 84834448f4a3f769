// Positions as the query of an address: `rules=7x6x4g&moves=d6d5`. Pure.

import { boardName } from "./strength.js";
import { cellName } from "./words.js";

const NOWHERE = { rules: null, board: null, cells: [] };

/** The cells that were played, on a board that is empty or as given. */
export function positionQuery(rules, cells, board = null) {
  const moves = cells.map((cell) => cellName(cell, rules)).join("");
  return [`rules=${boardName(rules)}`, ...(board ? [`board=${board}`] : []), `moves=${moves}`].join("&");
}

/** The position in a query, as far as it has one: `{rules, board, cells}`. */
export function positionOf(text) {
  const query = new URLSearchParams(text);
  const found = /^(\d{1,2})x(\d{1,2})x(\d{1,2})(g?)$/.exec(query.get("rules") ?? "3x3x3");
  if (!found) return NOWHERE;
  const [columns, rows, in_a_row] = found.slice(1, 4).map(Number);
  const rules = { columns, rows, in_a_row, gravity: found[4] === "g" };
  if (columns < 3 || columns > 19 || rows < 3 || rows > 19) return NOWHERE;
  const cells = [...(query.get("moves") ?? "").matchAll(/([a-s])(\d{1,2})/g)].map(
    ([, column, row]) => (Number(row) - 1) * columns + column.charCodeAt(0) - 97,
  );
  const board = query.get("board");
  return { rules, board: board?.length === columns * rows ? board : null, cells };
}
