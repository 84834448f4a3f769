// @ts-check
// A trace of a thought, step by step: the open path of the search, and what else was told. Pure.

/**
 * A node of a search: the move that leads to it; once it was left its value, and 1, 0 or -1 where that is a
 * proven win, draw or loss; the moves that were tried from it, and those that were left out.
 * @typedef {{cell: number | null, value: number | null, result: number | null, isKnown: boolean, children: Node[], cut: number[]}} Node
 */

/** The steps in lines of JSON; the first is the position, the last the decision. @param {string} lines */
export const parseTrace = (lines) =>
  lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** @param {number | null} cell @returns {Node} */
const newNode = (cell) => ({ cell, value: null, result: null, isKnown: false, children: [], cut: [] });

/**
 * What a reader has seen after the first `count` steps: `path` has the open nodes, the root first;
 * `rules` what was tried and what the memory knew; `depths` the rounds of iterative deepening.
 */
export function seenAfter(steps, count) {
  let path = [newNode(null)];
  const seen = { rules: [], depths: [], decision: null, leftOut: 0, entered: 0 };
  for (const step of steps.slice(0, count)) {
    const node = path[path.length - 1];
    switch (step.step) {
      case "rule":
      case "score":
      case "remember":
        seen.rules.push(step);
        break;
      case "enter": {
        const child = newNode(step.cell);
        node.children.push(child);
        path = [...path, child];
        seen.entered += 1;
        break;
      }
      case "table":
        node.isKnown = true;
        break;
      case "cut":
        node.cut = step.cells;
        break;
      case "return":
        node.value = step.value;
        node.result = step.result ?? null;
        if (path.length > 1) path = path.slice(0, -1);
        break;
      case "abandon":
        if (path.length > 1) path = path.slice(0, -1);
        break;
      case "depth":
        seen.depths.push(step);
        path = [newNode(null)]; // the next round begins anew
        break;
      case "left_out":
        seen.leftOut = step.steps;
        break;
      case "decision":
        seen.decision = step;
        break;
      default: // of a newer server
    }
  }
  return { ...seen, path };
}
