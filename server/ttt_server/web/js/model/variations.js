// @ts-check
// A tree of variations: the moves that were tried from a position, the main line first. Pure.

/** @typedef {{cell: number | null, mark: string, parent: Node | null, children: Node[]}} Node */

/** @returns {Node} the root, before any move */
export const newTree = () => ({ cell: null, mark: "", parent: null, children: [] });

/**
 * The node after a move: the one that is there, or a new one at the end.
 * @param {Node} node @param {number} cell @param {string} mark
 */
export function played(node, cell, mark) {
  const known = node.children.find((child) => child.cell === cell);
  if (known) return known;
  const child = { cell, mark, parent: node, children: [] };
  node.children.push(child);
  return child;
}

/** The cells from the root to a node. @param {Node} node @returns {number[]} */
export function cellsTo(node) {
  return node.parent === null || node.cell === null ? [] : [...cellsTo(node.parent), node.cell];
}

/** The last node of a node's main line. @param {Node} node @returns {Node} */
export const endOf = (node) => (node.children.length ? endOf(node.children[0]) : node);

/** Take a node and all after it out of the tree; the node before it. @param {Node} node @returns {Node} */
export function cut(node) {
  if (node.parent === null) return node;
  node.parent.children = node.parent.children.filter((child) => child !== node);
  return node.parent;
}

/** Make a node the main line of its parent. @param {Node} node */
export function promote(node) {
  if (node.parent === null) return;
  const others = node.parent.children.filter((child) => child !== node);
  node.parent.children = [node, ...others];
}

/**
 * The tree as lines, each with its depth: the main line, then the variations, each one deeper than the
 * line from which it departs. @param {Node} root @returns {{depth: number, nodes: Node[]}[]}
 */
export function linesOf(root) {
  const [main, ...others] = root.children;
  return main ? [...lineFrom(main, 0), ...others.flatMap((other) => lineFrom(other, 1))] : [];
}

/** @param {Node} first @param {number} depth @returns {{depth: number, nodes: Node[]}[]} */
function lineFrom(first, depth) {
  const nodes = [first];
  while (nodes[nodes.length - 1].children.length) nodes.push(nodes[nodes.length - 1].children[0]);
  const others = nodes.flatMap((node) => node.children.slice(1));
  return [{ depth, nodes }, ...others.flatMap((other) => lineFrom(other, depth + 1))];
}
