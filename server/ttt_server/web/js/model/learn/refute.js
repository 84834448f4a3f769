// @ts-check
// Why a move does not win in two: the answer that spoils it. Pure; for boards of any size.

/** @typedef {{columns: number, rows: number, in_a_row: number, gravity: boolean}} Rules */

/** The cells that can be played. @param {string} board @param {Rules} rules */
function playable(board, { columns, gravity }) {
  const isFree = (/** @type {number} */ cell) => board[cell] === ".";
  const isHeld = (/** @type {number} */ cell) => !gravity || cell + columns >= board.length || !isFree(cell + columns);
  return [...Array(board.length).keys()].filter((cell) => isFree(cell) && isHeld(cell));
}

/** The board with a mark more. @param {string} board @param {number} cell @param {string} mark */
export const withMark = (board, cell, mark) => board.slice(0, cell) + mark + board.slice(cell + 1);

/** The cells with which a side makes a line at once. @param {string} board @param {Rules} rules @param {string} mark */
const winningCells = (board, rules, mark) =>
  playable(board, rules).filter((cell) => isInLine(withMark(board, cell, mark), rules, cell));

/**
 * What the other side answers to a move that does not win in two: a line of its own, or an answer after
 * which no move makes a line. Null where every answer allows one.
 * @param {string} board after the move @param {Rules} rules @param {string} mark the side that moved
 */
export function answerTo(board, rules, mark) {
  const theirs = mark === "X" ? "O" : "X";
  const [line] = winningCells(board, rules, theirs);
  if (line !== undefined) return line;
  const holds = (/** @type {number} */ cell) => !winningCells(withMark(board, cell, theirs), rules, mark).length;
  return playable(board, rules).find(holds) ?? null;
}

/** Whether the mark on a cell is in a line. @param {string} board @param {Rules} rules @param {number} cell */
function isInLine(board, { columns, rows, in_a_row: length }, cell) {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  const is = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 0 && x < columns && y >= 0 && y < rows && board[y * columns + x] === board[cell];
  return [
    [1, 0],
    [0, 1],
    [1, 1],
    [-1, 1],
  ].some(([dx, dy]) => {
    let run = 1;
    for (const way of [1, -1])
      for (let far = way; is(column + dx * far, row + dy * far); far += way) run += 1;
    return run >= length;
  });
}
