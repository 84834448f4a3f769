// @ts-check
// Tic-tac-toe itself, for the boards of the lessons: nine letters of `.XO`. Pure.

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));

export const EMPTY = ".........";

/** The side to move. @param {string} board */
export const turnOf = (board) => (countOf(board) % 2 ? "O" : "X");

/** @param {string} board */
const countOf = (board) => [...board].filter((mark) => mark !== ".").length;

/** @param {string} board */
export const freeCells = (board) => [...Array(board.length).keys()].filter((cell) => board[cell] === ".");

/** The board after a move. @param {string} board @param {number} cell */
export const after = (board, cell) => board.slice(0, cell) + turnOf(board) + board.slice(cell + 1);

/** @param {number[]} moves */
export const boardOf = (moves) => moves.reduce(after, EMPTY);

/**
 * How the game ended, as the wire has it; null while it goes on.
 * @param {string} board
 */
export function outcomeOf(board) {
  const won = LINES.filter(([a, b, c]) => board[a] !== "." && board[a] === board[b] && board[a] === board[c]);
  if (won.length) return { winner: board[won[0][0]], reason: "line", line: [...new Set(won.flat())] };
  return board.includes(".") ? null : { winner: null, reason: "full", line: null };
}
