// The boards that are offered, and boards by their names. Pure.

export const BOARDS = [
  [3, 3, 3, false],
  [4, 4, 4, false],
  [5, 5, 4, false],
  [7, 6, 4, true],
  [15, 15, 5, false],
  [19, 19, 5, false],
].map(([columns, rows, in_a_row, gravity]) => ({ columns, rows, in_a_row, gravity }));

/** The relatives whose size follows from their name. */
const FIXED = {
  ultimate: () => ({ columns: 9, rows: 9, in_a_row: 3 }),
  connect6: () => ({ columns: 19, rows: 19, in_a_row: 6 }),
  cube: (side) => ({ columns: side, rows: side * side, in_a_row: side }),
};

/** The relatives of the game that are offered. */
const FAMILY = ["ultimate", "vanishing:3x3x3", "cube:4", "torus:5x5x4", "misere:3x3x3", "notakto:4x4x4", "connect6"].map(boardOf);

/** All boards that are offered by name. */
export const OFFERED = [...BOARDS, ...FAMILY];

/** The board of such a name, whatever its size; null for another text. */
export function boardOf(name) {
  const [, variant, size] = /^(?:([a-z]\w*):?)?(\d.*)?$/.exec(name) ?? [];
  if (variant in FIXED) return { ...FIXED[variant](Number(size)), gravity: false, variant };
  const found = /^(\d{1,2})x(\d{1,2})x(\d{1,2})(g?)(!?)$/.exec(size);
  if (!found) return null;
  const [columns, rows, in_a_row] = found.slice(1, 4).map(Number);
  return { columns, rows, in_a_row, gravity: found[4] === "g", ...(found[5] ? { exact: true } : {}), ...(variant ? { variant } : {}) };
}
