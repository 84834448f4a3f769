// @ts-check
// The tree of all games from a position of tic-tac-toe, and the order in which a search values it. Pure.

import { after, EMPTY, freeCells, outcomeOf, turnOf } from "./three.js";

/**
 * A position in the tree. `value` is 1, 0 or -1 for the side to move at the root; null where the search
 * skips the node, which has no children then.
 * @typedef {{board: string, cell: number | null, depth: number, value: number | null, isEnd: boolean, children: Node[]}} Node
 */

/**
 * The tree of a position, valued by minimax, or by alpha-beta, which skips moves that cannot matter. Both
 * look at the cells in their order.
 * @param {string} board @param {boolean} hasCuts @returns {Node}
 */
export function treeOf(board, hasCuts) {
  const root = newNode(board, null, 0);
  look(root, -2, 2, hasCuts);
  return root;
}

/** @param {string} board @param {number | null} cell @param {number} depth @returns {Node} */
const newNode = (board, cell, depth) => ({ board, cell, depth, value: null, isEnd: false, children: [] });

/** Value a node for the side that is to move in it. @param {Node} node @param {number} low @param {number} high @param {boolean} hasCuts */
function look(node, low, high, hasCuts) {
  const outcome = outcomeOf(node.board);
  let best = outcome ? (outcome.winner ? -1 : 0) : -2;
  node.isEnd = outcome !== null;
  for (const cell of outcome ? [] : freeCells(node.board)) {
    const child = newNode(after(node.board, cell), cell, node.depth + 1);
    node.children.push(child);
    if (hasCuts && best >= high) continue; // skipped
    best = Math.max(best, -look(child, -high, -Math.max(low, best), hasCuts));
  }
  node.value = (node.depth % 2 ? -best : best) || 0; // no -0
  return best;
}

/** The nodes that are looked at, in the order in which their values become known. @param {Node} node @returns {Node[]} */
export const valued = (node) => (node.value === null ? [] : [...node.children.flatMap(valued), node]);

/** The nodes that are skipped. @param {Node} node @returns {Node[]} */
export const skipped = (node) => (node.value === null ? [node] : node.children.flatMap(skipped));

/**
 * A position of chance with some free cells, in which not all moves are worth the same.
 * @param {number} free @param {(cells: number[]) => number} pick takes one of some cells
 * @returns {string}
 */
export function positionToLookAhead(free, pick) {
  let board = EMPTY;
  while (freeCells(board).length > free && !outcomeOf(board)) board = after(board, pick(freeCells(board)));
  const values = outcomeOf(board) ? [] : treeOf(board, false).children.map((child) => child.value);
  return new Set(values).size > 1 ? board : positionToLookAhead(free, pick);
}

/** Who chooses in a node: `X` or `O`. @param {Node} node */
export const chooserOf = (node) => turnOf(node.board);
