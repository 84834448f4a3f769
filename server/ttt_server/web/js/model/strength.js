// @ts-check
// The computer's strengths by board. Pure.
//
// The rows are those of `ttt_protocol/strengths.py`, which has their source: a test holds them equal.
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
  "3x3x3": { beginner: ai("minimax", 3), fair: { strategy: "guard" }, strong: { strategy: "rules" }, perfect: { strategy: "perfect" } },
  "4x4x4": { fair: LINES, strong: ai("search", 0), perfect: ai("search", 9) },
  "5x5x4": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "7x6x4g": { beginner: ai("search", 0), fair: ai("search", 4), strong: ai("search", 9), perfect: { strategy: "exact" } },
  "15x15x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "19x19x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
};

export const LEVELLED = ["mcts", "minimax", "search"];
const OF_EXTRAS = ["exact"]; // a server has it only with what it needs installed
const CLASSIC_ONLY = ["rules", "learner", "perfect"];
const FEW_CELLS_ONLY = { minimax: 9, brute: 12 }; // it plays at random, or not at all, while more are free

/** Whether an AI plays on a board, and not just at random. The server decides on AIs of other packages. */
export function isFitFor(name, { columns, rows, in_a_row: length, gravity, exact }) {
  const isClassic = columns === 3 && rows === 3 && length === 3 && !gravity;
  if (CLASSIC_ONLY.includes(name)) return isClassic;
  if (name === "exact") return columns === 7 && rows === 6 && length === 4 && gravity && !exact;
  if (name === "lines") return !gravity;
  return columns * rows <= (FEW_CELLS_ONLY[name] ?? Infinity);
}

/**
 * The AIs on a board, by strength: `{beginner: {strategy, level}, …}`, the weakest first. None for
 * a board on which none was measured. `known` are the server's strategies, as far as they are told.
 */
export function strengthsOn(rules, known = []) {
  const isThere = ({ strategy }) => !OF_EXTRAS.includes(strategy) || known.some(({ name }) => name === strategy);
  return Object.fromEntries(Object.entries(TABLE[boardName(rules)] ?? {}).filter(([, ai]) => isThere(ai)));
}

/** The strength of an AI on a board; undefined where none is known. */
export function strengthOf(rules, { strategy, level = null }) {
  const known = Object.entries(TABLE[boardName(rules)] ?? {});
  return known.find(([, ai]) => ai.strategy === strategy && (ai.level ?? null) === level)?.[0];
}

/** A board as `7x6x4g`; with `!` where a longer row does not win, and behind the name of a relative: `misere:3x3x3`. */
export function boardName({ columns, rows, in_a_row: length, gravity, exact, variant }) {
  if (variant === "ultimate" || variant === "connect6") return variant;
  if (variant === "cube") return `cube:${columns}`;
  return `${variant ? `${variant}:` : ""}${columns}x${rows}x${length}${gravity ? "g" : ""}${exact ? "!" : ""}`;
}

/** The board of such a name, whatever its size; null for another text. */
export function boardOf(name) {
  const found = /^(\d{1,2})x(\d{1,2})x(\d{1,2})(g?)(!?)$/.exec(name);
  if (!found) return null;
  const [columns, rows, in_a_row] = found.slice(1, 4).map(Number);
  return { columns, rows, in_a_row, gravity: found[4] === "g", ...(found[5] ? { exact: true } : {}) };
}
