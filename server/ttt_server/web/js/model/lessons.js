// The lessons in their order, and which of them is about a strategy. Pure.

export const LESSONS = ["rules", "counts", "lines", "ahead", "memory", "strength", "ultimate"];

const ABOUT = {
  rules: "rules",
  brute: "counts",
  lines: "lines",
  minimax: "ahead",
  search: "ahead",
  perfect: "ahead",
  exact: "ahead",
  learner: "memory",
};

/** The lesson about a strategy. */
export const lessonOf = (strategy) => ABOUT[strategy] ?? "strength";
