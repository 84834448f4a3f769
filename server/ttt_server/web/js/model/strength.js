// @ts-check
// The computer's strengths by board. Pure.
//
// Source: `ttt-server arena … -n 40 --seed 0 --rules …` (200 games on 3x3), as wins-draws-losses of the
// first. A board is here with the AIs that were measured on it:
//   3x3x3    minimax:3 perfect 0-7-53 (60 games) · minimax:5 perfect 0-95-105 · rules search:5 0-53-7
//            (60 games) · rules perfect 0-200-0 · perfect never loses
//   4x4x4    minimax:9 lines 2-22-16 · lines search:0 0-27-13 · search:9 solves the empty board, a draw
//   5x5x4    lines search:0 0-0-40 · search:0 search:6 0-40-0
//   7x6x4g   search:0 search:4 0-0-40 · search:4 search:9 20-0-20
//   15x15x5  lines search:0 0-0-40 · search:3 search:6 0-0-40
//   19x19x5  lines search:0 0-0-40 · search:3 search:6 20-0-20
// "Perfect" is offered only where an AI is known to make no mistake.

export const BOARDS = [
  [3, 3, 3, false],
  [4, 4, 4, false],
  [5, 5, 4, false],
  [7, 6, 4, true],
  [15, 15, 5, false],
  [19, 19, 5, false],
].map(([columns, rows, in_a_row, gravity]) => ({ columns, rows, in_a_row, gravity }));

const LINES = { strategy: "lines" };
const ai = (strategy, level) => ({ strategy, level });

const TABLE = {
  "3x3x3": { beginner: ai("minimax", 3), fair: ai("minimax", 5), strong: { strategy: "rules" }, perfect: { strategy: "perfect" } },
  "4x4x4": { beginner: ai("minimax", 9), fair: LINES, strong: ai("search", 0), perfect: ai("search", 9) },
  "5x5x4": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "7x6x4g": { beginner: ai("search", 0), fair: ai("search", 4), strong: ai("search", 9) },
  "15x15x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "19x19x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
};

const CLASSIC_ONLY = ["rules", "learner", "perfect"];
const FEW_CELLS_ONLY = { minimax: 9, brute: 12 }; // it plays at random, or not at all, while more are free

/** Whether an AI plays on a board, and not just at random. The server decides on AIs of other packages. */
export function isFitFor(name, { columns, rows, in_a_row: length, gravity }) {
  const isClassic = columns === 3 && rows === 3 && length === 3 && !gravity;
  if (CLASSIC_ONLY.includes(name)) return isClassic;
  if (name === "lines") return !gravity;
  return columns * rows <= (FEW_CELLS_ONLY[name] ?? Infinity);
}

/**
 * The AIs on a board, by strength: `{beginner: {strategy, level}, …}`, the weakest first. Undefined for
 * a board on which none was measured.
 */
export const strengthsOn = ({ columns, rows, in_a_row: length, gravity }) =>
  TABLE[`${columns}x${rows}x${length}${gravity ? "g" : ""}`];
