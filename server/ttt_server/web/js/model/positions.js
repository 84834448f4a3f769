// Positions as the query of an address: `rules=7x6x4g&moves=d6d5`. Pure.

import { boardOf } from "./boards.js";
import { boardName } from "./strength.js";
import { cellName } from "./words.js";

/** The cells that were played, on a board that is empty or as given. */
export function positionQuery(rules, cells, board = null) {
  const moves = cells.map((cell) => cellName(cell, rules)).join("");
  return [`rules=${boardName(rules)}`, ...(board ? [`board=${board}`] : []), `moves=${moves}`].join("&");
}

/**
 * The position in a query: `{rules, board, cells}`, the board null for an empty one. Null where the query
 * is of no position; whether one can be, the server knows.
 */
export function positionOf(text) {
  const query = new URLSearchParams(text);
  const rules = rulesOf(query.get("rules") ?? "3x3x3");
  if (!rules) return null;
  const moves = (query.get("moves") ?? "").toLowerCase();
  const board = query.get("board")?.toUpperCase() ?? null;
  if (!/^([a-s]\d{1,2})*$/.test(moves)) return null;
  if (board !== null && board.length !== rules.columns * rules.rows) return null;
  const named = [...moves.matchAll(/([a-s])(\d+)/g)].map(([, column, row]) => [column.charCodeAt(0) - 97, row - 1]);
  const isOn = ([column, row]) => column < rules.columns && row >= 0 && row < rules.rows;
  if (!named.every(isOn)) return null;
  return { rules, board, cells: named.map(([column, row]) => row * rules.columns + column) };
}

/**
 * The marks after so many of the moves `{cell, seat}`, a letter a cell. `boards` are those after the last moves, as
 * the record of a relative of the game has them.
 */
export function boardAfter({ columns, rows }, moves, count, boards = []) {
  const known = boards[boards.length - moves.length + count - 1];
  if (known) return known;
  const cells = Array(columns * rows).fill(".");
  for (const { cell, seat } of moves.slice(0, count)) cells[cell] = seat;
  return cells.join("");
}

function rulesOf(text) {
  const rules = boardOf(text);
  if (!rules) return null;
  const { columns, rows, in_a_row: length, variant } = rules;
  if (variant) return rules; // the server knows its sizes
  const longest = Math.max(columns, rows);
  return Math.min(columns, rows, length) < 3 || longest > 19 || length > longest ? null : rules;
}
