// @ts-check
// The computer's strengths by board. Pure.
//
// The rows are those of `ttt_protocol/strengths.py`, which has their source: a test holds them equal.
// "Perfect" is offered only where an AI is known to make no mistake.

const [LINES, GUARD, RULES, PERFECT] = ["lines", "guard", "rules", "perfect"].map((strategy) => ({ strategy }));
const ai = (strategy, level) => ({ strategy, level });

const TABLE = {
  "3x3x3": { beginner: ai("minimax", 3), fair: GUARD, strong: RULES, perfect: PERFECT },
  "4x4x4": { fair: LINES, strong: ai("search", 0), perfect: ai("search", 9) },
  "5x5x4": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "7x6x4g": { beginner: ai("search", 0), fair: ai("search", 4), strong: ai("search", 9), perfect: { strategy: "exact" } },
  "15x15x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  "19x19x5": { beginner: LINES, fair: ai("search", 0), strong: ai("search", 6) },
  ultimate: { beginner: GUARD, fair: ai("mcts", 0), strong: ai("search", 6) },
  "vanishing:3x3x3": { beginner: GUARD, fair: ai("mcts", 0), strong: ai("mcts", 4), perfect: PERFECT },
  "cube:4": { beginner: ai("mcts", 0), fair: ai("mcts", 4), strong: ai("search", 6) },
  "torus:5x5x4": { beginner: GUARD, fair: ai("mcts", 4), strong: ai("search", 6) },
  "misere:3x3x3": { beginner: ai("minimax", 3), fair: ai("mcts", 0), strong: ai("mcts", 4), perfect: PERFECT },
  "notakto:4x4x4": { beginner: GUARD, fair: ai("mcts", 0), strong: ai("mcts", 4), perfect: PERFECT },
  connect6: { beginner: ai("mcts", 0), fair: GUARD, strong: ai("search", 6) },
};

export const LEVELLED = ["mcts", "minimax", "search"];
const OF_EXTRAS = ["exact"]; // a server has it only with what it needs installed
const NOT_ON_RELATIVES = ["lines", "learner", "perfect", "brute", "minimax", "exact"]; // on all of them
const SEARCHED = ["ultimate", "cube", "torus", "connect6"];
const CLASSIC_ONLY = ["rules", "learner", "perfect"];
const FEW_CELLS_ONLY = { minimax: 9, brute: 12 }; // it plays at random, or not at all, while more are free

/** Whether an AI plays on a board, and not just at random. The server decides on AIs of other packages. */
export function isFitFor(name, { columns, rows, in_a_row: length, gravity, exact, variant }) {
  if (variant) return name === "search" ? SEARCHED.includes(variant) : !NOT_ON_RELATIVES.includes(name);
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

/** A board as `7x6x4g`; with `!` where a longer row does not win; a relative as `torus:5x5x4` or `cube:4`. */
export function boardName({ columns, rows, in_a_row: length, gravity, exact, variant }) {
  if (variant === "cube") return `cube:${columns}`;
  if (variant === "ultimate" || variant === "connect6") return variant;
  return `${variant ? `${variant}:` : ""}${columns}x${rows}x${length}${gravity ? "g" : ""}${exact ? "!" : ""}`;
}
